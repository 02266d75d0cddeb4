import type { EffectKind, SideEffectClass } from '../../../protocol/evidence.ts'
import { hostOf, isUrl } from '../hosts.ts'
import { analyseShell } from '../shell/analyse-shell.ts'
import { tellWritten } from '../shell/files.ts'
import { tellToolSql } from './tool-sql.ts'
import { type ToolUse, stringsIn } from './tool.ts'

interface VerbRow {
  readonly words: RegExp
  readonly sideEffect: SideEffectClass
  /** What happens to paths among the arguments. */
  readonly path: EffectKind
  readonly net: EffectKind
}

const word = (words: string): RegExp => new RegExp(`(?:^|[_.\\-/: ])(?:${words})(?=$|[_.\\-/: ]|s(?:$|[_.\\-/: ]))`)

/** What a tool's name says about it; the first row that fits counts, so the more dangerous stand first. */
const VERBS: readonly VerbRow[] = [
  {
    words: word('pay|payment|purchase|buy|transfer|refund|charge|invoice|withdraw|trade|order|checkout'),
    sideEffect: 'financial',
    path: 'fs.read',
    net: 'net.send',
  },
  {
    words: word('exec|execute|run|shell|bash|terminal|command|eval|evaluate|script|spawn|invoke|python|code'),
    sideEffect: 'code_execution',
    path: 'fs.read',
    net: 'net.send',
  },
  {
    words: word('sudo|grant|revoke|admin|permission|role|policy|chmod|chown|credential|secret'),
    sideEffect: 'privileged',
    path: 'fs.permission',
    net: 'net.send',
  },
  {
    words: word('email|mail|message|reply|notify|notification|sms|tweet|slack|chat|comment|announce|invite'),
    sideEffect: 'communication',
    path: 'fs.read',
    net: 'net.send',
  },
  {
    words: word('delete|remove|destroy|drop|purge|erase|unlink|rm|rmdir|clear|wipe|truncate|trash'),
    sideEffect: 'external_write',
    path: 'fs.delete',
    net: 'net.send',
  },
  { words: word('move|rename|mv'), sideEffect: 'external_write', path: 'fs.delete', net: 'net.send' },
  {
    words: word('send|post|publish|push|upload|submit|share|deploy|export|sync'),
    sideEffect: 'external_write',
    path: 'fs.read',
    net: 'net.send',
  },
  {
    words: word(
      'write|create|edit|update|save|put|patch|set|add|insert|append|make|mkdir|modify|replace|copy|apply|merge|install|import|store|fork|close|open',
    ),
    sideEffect: 'external_write',
    path: 'fs.write',
    net: 'net.send',
  },
  {
    words: word('fetch|download|browse|navigate|crawl|scrape|request|http|curl|url'),
    sideEffect: 'external_write',
    path: 'fs.write',
    net: 'net.fetch',
  },
  {
    words: word(
      'read|get|list|search|find|query|show|view|describe|status|info|lookup|count|check|stat|tree|cat|head|tail|grep|glob|inspect|analyze|diff|log|ls|help|resolve|docs',
    ),
    sideEffect: 'read_only',
    path: 'fs.read',
    net: 'net.fetch',
  },
]

const UNKNOWN: VerbRow = { words: /(?:)/, sideEffect: 'external_write', path: 'fs.write', net: 'net.send' }

/** `readTextFile` and `read-text-file` in the form `read_text_file`. */
const spaced = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

/** The row that a tool's name speaks for. */
const verbOf = (name: string): VerbRow =>
  VERBS.find((row) => row.words.test(spaced(name.replace(/^mcp__.*?__/, '')))) ?? UNKNOWN

const LOCAL_SERVER = /(?:^|[_-])(?:filesystem|fs|files?|desktop[_-]commander|serena|git|editor|workspace)(?:$|[_-])/i

/** Side-effect class by a tool's name; file servers write locally. */
export const classOf = (name: string, server: string | undefined): SideEffectClass => {
  const { sideEffect } = verbOf(name)
  const local = server !== undefined ? LOCAL_SERVER.test(server) : false
  return local && sideEffect === 'external_write' ? 'local_write' : sideEffect
}

const PATH_NAME =
  /(?:path|file|dir|directory|folder|source|destination|dest|target|from|to|root|cwd|uri|filename|location|output|input)s?$/i
const NO_PATH =
  /(?:content|text|body|description|message|title|query|pattern|regex|prompt|comment|summary|old_string|new_string|diff|name|label|branch|sql|code|command|script)s?$/i

const lastName = (pointer: string): string => {
  const parts = pointer.split('/')
  const last = parts.at(-1) ?? ''
  return /^\d+$/.test(last) ? (parts.at(-2) ?? '') : last
}

const isPathLike = (pointer: string, text: string): boolean => {
  if (text.length > 4096 || /[\n\r]/.test(text) || isUrl(text)) return /^file:\/\//i.test(text)
  const name = lastName(pointer)
  if (NO_PATH.test(name) && !PATH_NAME.test(name)) return /^(?:\/|~\/|\.\.?\/)\S*$/.test(text)
  return /^(?:\/|~|\.\.?(?:\/|$))/.test(text) || (PATH_NAME.test(name) && text !== '' && !/\s{2}|@/.test(text))
}

const COMMAND_NAME = /^(?:command|cmd|script|shell_command|bash|commandline|command_line)$/i

/** Reads a call of a tool not in the table: by its name, and by the paths, hosts and commands among its arguments. */
export const otherTool = (use: ToolUse): void => {
  const { engine, tool } = use
  const by = tool.name
  const row = verbOf(tool.name)
  engine.emit(
    {
      kind: 'tool.call',
      by,
      targets: [{ type: 'resource', name: tool.server === undefined ? tool.name : `${tool.server}/${tool.name}` }],
    },
    use.at(''),
  )
  const strings = stringsIn(use.input, '/input')
  const contents = strings.filter(([pointer]) => NO_PATH.test(lastName(pointer))).map(([, text]) => text)
  for (const [pointer, text] of strings) {
    if (!engine.spend(1)) return
    const place = { span: { pointer, start: 0, end: text.length }, possible: true, background: false }
    const name = lastName(pointer)
    if (COMMAND_NAME.test(name) && row.sideEffect === 'code_execution') analyseShell(text, pointer, engine)
    else tellToolSql(use, name, text, place)
    if (isUrl(text) && !/^file:/i.test(text)) {
      const host = hostOf(text)
      if (host) engine.emit({ kind: row.net, by, targets: [host] }, place)
    } else if (isPathLike(pointer, text)) {
      const raw = text.replace(/^file:\/\/(?:localhost)?/i, '').replace(/^~(?=\/|$)/, engine.paths.home)
      const target = engine.paths.resolve(raw, engine.paths.cwd, row.path === 'fs.delete' ? 'entry' : 'content')
      engine.emit({ kind: row.path, by, targets: [target] }, place)
      if (row.path === 'fs.write')
        tellWritten({ engine }, place, by, [target], contents.length > 0 ? contents : undefined)
      if (row.path === 'fs.delete' && /move|rename|mv/.test(spaced(by)))
        engine.emit({ kind: 'fs.write', by, targets: [target] }, place)
      if (row.path === 'fs.read' && (target.zone === 'credential' || target.zone === 'dotenv'))
        engine.emit({ kind: 'secret.read', by, targets: [target] }, place)
    }
  }
}
