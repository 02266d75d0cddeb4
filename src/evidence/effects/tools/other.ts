import type { EffectKind, SideEffectClass, Target } from '../../../protocol/evidence.ts'
import type { Place } from '../engine.ts'
import { hostOf, isUrl } from '../hosts.ts'
import { analyseShell } from '../shell/analyse-shell.ts'
import { analyseLater } from '../shell/analyse-shell.ts'
import { tellWritten } from '../shell/files.ts'
import { type ToolJudgement, judgeTool } from './tool-class.ts'
import { tellToolSql } from './tool-sql.ts'
import { namedTargets } from './tool-targets.ts'
import type { Doing } from './tool-words.ts'
import { type ToolUse, stringsIn } from './tool.ts'

/** What happens to a path and to a URL among the arguments of a tool that does this. */
const REACH: Readonly<Record<Doing, readonly [path: EffectKind, net: EffectKind]>> = {
  look: ['fs.read', 'net.fetch'],
  visit: ['fs.read', 'net.fetch'],
  fetch: ['fs.write', 'net.fetch'],
  change: ['fs.write', 'net.send'],
  move: ['fs.delete', 'net.send'],
  remove: ['fs.delete', 'net.send'],
  send: ['fs.read', 'net.send'],
  run: ['fs.read', 'net.send'],
  pay: ['fs.read', 'net.send'],
  grant: ['fs.permission', 'net.send'],
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

/** Says what the call is by its class, with whom and what it is about. */
const tellClass = (use: ToolUse, judged: ToolJudgement): void => {
  const { engine, tool } = use
  const by = tool.name
  const name = tool.server === undefined ? tool.name : `${tool.server}/${tool.name}`
  const self: Target = { type: 'resource', name }
  const targets = namedTargets(use.input)
  engine.emit({ kind: 'tool.call', by, targets: [self, ...targets] }, use.at(''))
  const kind = KIND_OF[judged.sideEffect]
  if (kind !== undefined && !(kind === 'net.send' && judged.doing === 'look'))
    engine.emit({ kind, by, targets: targets.length > 0 ? targets : [self] }, use.at(''))
  if (judged.reveals) engine.emit({ kind: 'secret.read', by, targets: [self] }, use.at(''))
  const removes = judged.doing === 'remove' && !/^(?:read_only|local_write)$/.test(judged.sideEffect)
  if (removes)
    engine.emit(
      { kind: 'cloud.destroy', by, targets: [self, ...targets], traits: judged.removesWhole ? ['all'] : [] },
      use.at(''),
    )
}

const KIND_OF: { readonly [K in SideEffectClass]?: EffectKind } = { communication: 'net.send', financial: 'money.move' }

/** Says what happens to a path among the arguments. */
const tellPath = (
  use: ToolUse,
  place: Place,
  text: string,
  [kind, doing]: readonly [EffectKind, Doing | undefined],
  contents: readonly string[],
): void => {
  const { engine } = use
  const by = use.tool.name
  const raw = text.replace(/^file:\/\/(?:localhost)?/i, '').replace(/^~(?=\/|$)/, engine.paths.home)
  const target = engine.paths.resolve(raw, engine.paths.cwd, kind === 'fs.delete' ? 'entry' : 'content')
  engine.emit({ kind, by, targets: [target] }, place)
  if (kind === 'fs.write')
    tellWritten(engine, place, by, [target], { texts: contents, unseen: contents.length === 0 }, (code) =>
      analyseLater(code, place, engine),
    )
  if (doing === 'move') engine.emit({ kind: 'fs.write', by, targets: [target] }, place)
  if (kind === 'fs.read' && (target.zone === 'credential' || target.zone === 'dotenv'))
    engine.emit({ kind: 'secret.read', by, targets: [target] }, place)
}

/**
 * Reads a call of a tool not in the table: by what is thought of the tool, and by the paths, hosts, commands, SQL,
 * people and amounts among its arguments. Gives the tool's side-effect class.
 */
export const otherTool = (use: ToolUse, configured: ReadonlyMap<string, SideEffectClass>): SideEffectClass => {
  const { engine, tool } = use
  const judged = judgeTool(tool, configured)
  const [path, net]: readonly [EffectKind, EffectKind] =
    judged.doing === undefined
      ? judged.sideEffect === 'read_only'
        ? REACH.look
        : ['fs.write', 'net.send']
      : REACH[judged.doing]
  tellClass(use, judged)
  const strings = stringsIn(use.input, '/input')
  const contents = strings.filter(([pointer]) => NO_PATH.test(lastName(pointer))).map(([, text]) => text)
  for (const [pointer, text] of strings) {
    if (!engine.spend(1)) break
    const place = { span: { pointer, start: 0, end: text.length }, possible: true, background: false }
    const name = lastName(pointer)
    if (COMMAND_NAME.test(name) && judged.sideEffect === 'code_execution') analyseShell(text, pointer, engine)
    else tellToolSql(use, name, text, place)
    if (isUrl(text) && !/^file:/i.test(text)) {
      const host = hostOf(text)
      if (host) engine.emit({ kind: net, by: tool.name, targets: [host] }, place)
    } else if (isPathLike(pointer, text)) tellPath(use, place, text, [path, judged.doing], contents)
  }
  return judged.sideEffect
}
