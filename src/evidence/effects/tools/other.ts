import type { EffectKind, SideEffectClass, Target } from '../../../protocol/evidence.ts'
import type { Place } from '../engine.ts'
import { type HostTarget, hostOf, isUrl } from '../hosts.ts'
import { analyseLater, analysePowershell, analyseShell } from '../shell/analyse-shell.ts'
import { tellWritten } from '../shell/files.ts'
import { isSecret } from './file-acts.ts'
import { type ArgumentName, argumentName, holdsText, namesHost, namesPath } from './argument-name.ts'
import { type ToolJudgement, judgeTool } from './tool-class.ts'
import { tellCode, tellGuardTool } from './guard-tools.ts'
import { tellToolSql } from './tool-sql.ts'
import { namedTargets } from './tool-targets.ts'
import type { Doing } from './tool-words.ts'
import { MOST_LEAVES, type ToolUse, leavesIn } from './tool.ts'

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

const isOneLine = (text: string): boolean => text.length <= 4096 && !/[\n\r]/.test(text)

/** Whether an argument is taken for a path. */
export const isPathLike = (name: ArgumentName, text: string): boolean =>
  isOneLine(text) && !isUrl(text) ? namesPath(name, text) : /^file:\/\//i.test(text)

/** Names of arguments that hold a command, for tools that run some. */
export const COMMAND_NAME = /^(?:command|cmd|script|shell_command|bash|commandline|command_line)$/i

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

const LISTS = /(?:^|_)(?:list|tree|directory_tree|stat|info|exists|search_files)(?:_|$)/i

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
    tellWritten(engine, place, by, [target], { texts: contents, unseen: contents.length === 0 }, (code, into) =>
      analyseLater(code, place, into),
    )
  if (doing === 'move') engine.emit({ kind: 'fs.write', by, targets: [target] }, place)
  // A tool that lists a folder shows names.
  const lists = LISTS.test(use.tool.name) && target.zone === 'guard'
  if (kind === 'fs.read' && !lists && isSecret(use, target))
    engine.emit({ kind: 'secret.read', by, targets: [target] }, place)
}

/** The host that an argument names. */
export const hostIn = (name: ArgumentName, text: string): HostTarget | undefined =>
  (isUrl(text) && !/^file:/i.test(text)) || (text.length <= 253 && namesHost(name, text)) ? hostOf(text) : undefined

/** Tools whose commands are PowerShell's. */
const POWERSHELL = /power[_-]?shell|pwsh/i

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

type StringLeaf = readonly [pointer: string, text: string, name: ArgumentName]

const ARGUMENTS = /^(?:args|argv|arguments|params)$/i

/** Reads the commands among the arguments; one given as a list of words is one command. */
const tellCommands = ({ engine, tool }: ToolUse, strings: readonly StringLeaf[]): void => {
  const analyse = POWERSHELL.test(tool.name) ? analysePowershell : analyseShell
  const lists = new Map<string, readonly string[]>()
  // `{ command: 'rm', args: ['-rf', '/'] }` is one command.
  const args = strings.filter(([pointer, , { spelled }]) => ARGUMENTS.test(spelled) && /\/\d+$/.test(pointer))
  for (const [pointer, text, { spelled }] of strings) {
    if (!COMMAND_NAME.test(spelled)) continue
    const list = /^(.*)\/\d+$/.exec(pointer)?.[1]
    if (list === undefined && args.length > 0 && /^\S+$/.test(text))
      lists.set(pointer, [text, ...args.map(([, word]) => word)])
    else if (list === undefined) analyse(text, pointer, engine)
    else lists.set(list, [...(lists.get(list) ?? []), text])
  }
  for (const [pointer, words] of lists)
    analyse(words.length === 1 ? (words[0] ?? '') : words.map(quoted).join(' '), `${pointer}/0`, engine)
}

/** Every string among the arguments; where there are too many, that is an effect too. */
const stringLeaves = (use: ToolUse): readonly StringLeaf[] => {
  const leaves = leavesIn(use.input, '/input')
  if (leaves.length >= MOST_LEAVES)
    use.engine.emit(
      { kind: 'unresolved', by: use.tool.name, targets: [{ type: 'unknown', raw: 'arguments' }] },
      use.at(''),
    )
  return leaves.flatMap(([pointer, leaf]) =>
    typeof leaf === 'string' ? [[pointer, leaf, argumentName(pointer)] as const] : [],
  )
}

/**
 * Reads a call of a tool not in the table: by what is thought of the tool, and by the paths, hosts, commands, SQL,
 * people and amounts among its arguments. Gives the tool's side-effect class.
 */
export const otherTool = (use: ToolUse, configured: ReadonlyMap<string, SideEffectClass>): SideEffectClass => {
  const { engine, tool } = use
  const judged = judgeTool(tool, configured, use.input)
  const [path, net]: readonly [EffectKind, EffectKind] =
    judged.doing === undefined
      ? judged.sideEffect === 'read_only'
        ? REACH.look
        : ['fs.write', 'net.send']
      : REACH[judged.doing]
  tellClass(use, judged)
  const strings = stringLeaves(use)
  const contents = strings.filter(([, , name]) => holdsText(name)).map(([, text]) => text)
  tellGuardTool(use)
  if (judged.sideEffect === 'code_execution') {
    tellCommands(use, strings)
    tellCode(use)
  }
  for (const [pointer, text, name] of strings) {
    if (!engine.spend(1)) break
    const place = { span: { pointer, start: 0, end: text.length }, possible: true, background: false }
    if (!(COMMAND_NAME.test(name.spelled) && judged.sideEffect === 'code_execution'))
      tellToolSql(use, name.spelled, text, place)
    const host = hostIn(name, text)
    if (host !== undefined) engine.emit({ kind: net, by: tool.name, targets: [host] }, place)
    else if (isPathLike(name, text)) tellPath(use, place, text, [path, judged.doing], contents)
  }
  return judged.sideEffect
}
