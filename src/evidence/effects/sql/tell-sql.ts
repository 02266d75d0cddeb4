import type { EffectKind } from '../../../protocol/evidence.ts'
import { readSql } from './read-sql.ts'
import type { ParseSql, SqlAct } from './sql-act.ts'

/** What a caller does with what SQL text turns out to do. */
export interface SqlTeller {
  emit(kind: EffectKind): void
  /** A file of the database's machine is read. */
  read(path: string): void
  write(path: string): void
  /** A program is run on the database's machine. */
  run(command: string): void
  /** SQL that is put together while it runs. */
  hidden(): void
}

/** SQL Server has `xp_cmdshell` on Windows alone: what it is given is cmd's. */
const asShell = (type: string, command: string): string =>
  type === 'xp-cmdshell' ? `cmd /c '${command.replaceAll("'", `'\\''`)}'` : command

const TELLERS: { readonly [A in SqlAct['act']]: (teller: SqlTeller, act: SqlAct) => void } = {
  destroy: (teller) => teller.emit('db.destroy'),
  change: (teller) => teller.emit('db.change'),
  privilege: (teller) => {
    teller.emit('db.change')
    teller.emit('privilege.raise')
  },
  'read-file': (teller, { subject }) => (subject === undefined ? teller.hidden() : teller.read(subject)),
  'write-file': (teller, { subject }) => (subject === undefined ? teller.hidden() : teller.write(subject)),
  run: (teller, act) => (act.subject === undefined ? teller.hidden() : teller.run(asShell(act.type, act.subject))),
  hidden: (teller) => teller.hidden(),
}

/** Says what SQL text does. */
export const tellSql = (text: string, teller: SqlTeller, parse?: ParseSql): void => {
  for (const act of readSql(text, parse)) TELLERS[act.act](teller, act)
}

/** Acts that lie in what a statement lacks, so that its beginning does not tell of them. */
const BY_LACK = /^(?:delete|update)-all$/

/** What comes may be left out: the beginning is a whole statement as it stands. */
const MAY_END = /(?<!\b(?:from|set|into|only|table|delete|update|where|and|or|using|as)|[=,(.<>+-])\s$/i

/** Says what SQL does of which only the beginning is known. */
export const tellSqlBeginning = (text: string, teller: SqlTeller): void => {
  const mayEnd = MAY_END.test(text)
  for (const act of readSql(text))
    if (act.act === 'destroy' && BY_LACK.test(act.type) && act.end >= text.trimEnd().length && !mayEnd)
      teller.emit('db.change')
    else TELLERS[act.act](teller, act)
}
