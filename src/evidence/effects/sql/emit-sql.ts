import { singleQuoted } from '../../../protocol/shell-word.ts'
import type { Target } from '../../../protocol/evidence.ts'
import type { SqlEmitter } from '../engine/engine.ts'
import { hostOf, isUrl } from '../places/hosts.ts'
import { readSql } from './read-sql.ts'
import type { ParseSql, SqlAct } from './sql-act.ts'

/** The place on the network that SQL names; a bucket is the service's and no host. */
export const placeTarget = (place: string): Target =>
  isUrl(place) && !/^https?:/i.test(place)
    ? { type: 'resource', name: place }
    : (hostOf(place) ?? { type: 'unknown', raw: place })

/** The code that a database loads: a library by its path, otherwise its name. */
export const codeTargets = (
  subject: string | undefined,
  language: SqlAct['language'],
  at: (path: string) => Target,
): readonly Target[] => {
  if (subject === undefined || language !== undefined) return [{ type: 'resource', name: language ?? 'code' }]
  return [/^(?:\/|\.{1,2}\/|~\/)/.test(subject) ? at(subject) : { type: 'resource', name: subject.slice(0, 128) }]
}

/** SQL Server has these only on Windows: their arguments are for `cmd`. */
const asShell = (type: string, command: string): string =>
  /^(?:xp-cmdshell|sp-oamethod|job-step)$/.test(type) ? `cmd /c ${singleQuoted(command)}` : command

const EMITTERS: { readonly [A in SqlAct['act']]: (emitter: SqlEmitter, act: SqlAct) => void } = {
  destroy: (emitter) => emitter.emit('db.destroy'),
  change: (emitter) => emitter.emit('db.change'),
  privilege: (emitter) => {
    emitter.emit('db.change')
    emitter.emit('privilege.raise')
  },
  'read-file': (emitter, { subject }) => (subject === undefined ? emitter.hidden() : emitter.read(subject)),
  'write-file': (emitter, { subject }) => (subject === undefined ? emitter.hidden() : emitter.write(subject)),
  run: (emitter, { type, subject }) => emitter.run(subject === undefined ? undefined : asShell(type, subject)),
  code: (emitter, { subject, language }) => emitter.code(subject, language),
  fetch: (emitter, { subject }) => (subject === undefined ? emitter.hidden() : emitter.reach('net.fetch', subject)),
  send: (emitter, { subject }) => (subject === undefined ? emitter.hidden() : emitter.reach('net.send', subject)),
  hidden: (emitter) => emitter.hidden(),
}

/** Statements that open a database's data, or grant somebody all rights. */
const OPENS =
  /(?:^|[;}])\s{0,64}(?:alter\s+table\s[^;']{1,256}\bdisable\s+row\s+level\s+security\b|grant\s(?:all|insert|update|delete|truncate)\b[^;']{1,512}\bto\s+(?:public|anon|anonymous|guest|everyone)\b|grant\s+all(?:\s+privileges)?\s+on\s+\*\.\*|(?:alter|create)\s+(?:role|user)\s[^;']{1,256}\b(?:superuser|createrole|bypassrls)\b|grant\s+role\s+\w{0,64}admin\w{0,64}\s+to\b|alter\s+account\s[^;']{0,128}\bnetwork_policy\b|alter\s+server\s+role\s+sysadmin\s+add\b)/i

/** Emits the effects of SQL text. */
export const emitSql = (text: string, emitter: SqlEmitter, parse?: ParseSql): void => {
  const acts = readSql(text, parse)
  if (acts.some(({ act }) => act === 'privilege' || act === 'change') && OPENS.test(text))
    emitter.emit('protection.off')
  for (const act of acts) EMITTERS[act.act](emitter, act)
  // An attached database is a file that later statements may write.
  const writes = acts.some(({ act, type }) => act === 'destroy' || (act === 'change' && type !== 'attach'))
  for (const { type, subject } of writes ? acts : [])
    if (type === 'attach-file' && subject !== undefined) emitter.write(subject)
}

/** Acts by the absence of a clause, which the beginning of a statement does not show. */
const BY_LACK = /^(?:delete|update)-all$/

/** The rest may be missing: the beginning is a complete statement. */
const MAY_END = /(?<!\b(?:from|set|into|only|table|delete|update|where|and|or|using|as)|[=,(.<>+-])\s$/i

/** Emits the effects of SQL of which only the beginning is known. */
export const emitSqlBeginning = (text: string, emitter: SqlEmitter): void => {
  const mayEnd = MAY_END.test(text)
  for (const act of readSql(text))
    if (act.act === 'destroy' && BY_LACK.test(act.type) && act.end >= text.trimEnd().length && !mayEnd)
      emitter.emit('db.change')
    else EMITTERS[act.act](emitter, act)
}
