import { posix } from 'node:path'
import type { Target } from '../../../protocol/evidence.ts'
import type { Language } from '../engine/call.ts'
import type { PathTarget } from '../places/paths.ts'
import { analyseCode } from '../dispatch/analyse-code.ts'
import { mayShowToken } from '../places/token-search.ts'
import { argumentName, holdsCode } from './argument-name.ts'
import { type ToolUse, leavesIn, placeOfText } from './tool.ts'

/** Tools that show, pack or send a whole folder. */
const TAKES_TREES =
  /grep|search|copy|archive|zip|pack|backup|upload|sync|mirror|(?:^|_)add|commit|mount|volume|container|export/i
/** Of these, those that return only names. */
const NAMES_ONLY = /search_?files|find_?files?|glob|list|tree|stat|info|exists|unzip|unpack|extract/i
const UNPACKS = /extract|unpack|unzip|untar|decompress|inflate/i
const OWN_FOLDER = /\/(?:\.claude|\.openclaw(?:-[^/]+)?|claude-code|claudecode|sallyport)$/i
const PATTERN = /^(?:pattern|query|regexp?|search|expression|term|text)$/
const ENDS = /kill|terminate|stop|signal|suspend|end_process/i

const pathsOf = ({ engine }: ToolUse, text: string): readonly PathTarget[] => {
  // `FROM:TO` of a container's volume, `type=bind,source=FROM`.
  const parts = text.split(/[:,]/).map((part) => part.replace(/^(?:source|src)=/, ''))
  return parts
    .filter((part) => /^(?:\/|~(?:\/|$)|\.{1,2}(?:\/|$))/.test(part) && part.length < 400)
    .map((part) => part.replace(/^~(?=\/|$)/, engine.paths.home))
    .map((part) => engine.paths.resolve(part, engine.paths.cwd, 'content'))
}

const LANGUAGES: readonly (readonly [tool: RegExp, language: Language])[] = [
  [/python|jupyter|ipython|pyodide/i, 'python'],
  [/node|javascript|(?:^|_)js(?:_|$)|typescript|deno|bun/i, 'javascript'],
  [/ruby/i, 'ruby'],
  [/php/i, 'php'],
  [/perl/i, 'perl'],
]

/** Reads code among the arguments of a tool that runs some. */
export const emitCode = (use: ToolUse): void => {
  const name = `${use.tool.server ?? ''} ${use.tool.name}`
  const known = LANGUAGES.filter(([tool]) => tool.test(name))
  for (const [pointer, text] of leavesIn(use.input, '/input')) {
    if (typeof text !== 'string' || !holdsCode(argumentName(pointer))) continue
    // Without a stated language, it may be either of the two that most tools run.
    for (const [, language] of known.length > 0 ? known : LANGUAGES.slice(0, 2))
      analyseCode(language, text, { ...placeOfText(pointer, text), possible: true }, use.engine, use.tool.name)
  }
}

/** Emits the effects of an unknown tool on the guard that its single arguments do not show. */
export const emitGuardTool = (use: ToolUse): void => {
  const { engine, tool } = use
  const { guard, paths } = engine
  const name = `${tool.server ?? ''} ${tool.name}`
  const tamper = (targets: readonly Target[], pointer: string, text: string): void =>
    engine.emit({ kind: 'guard.tamper', by: tool.name, targets }, { ...placeOfText(pointer, text), possible: true })
  const leaves = leavesIn(use.input, '/input')
  const pattern = leaves.find(([pointer]) => PATTERN.test(argumentName(pointer).own))?.[1]
  const shows = pattern === undefined || mayShowToken([String(pattern)])
  const host = leaves.find(([pointer]) => /(?:^|_)(?:host|hostname|address|ip)$/.test(argumentName(pointer).own))?.[1]
  for (const [pointer, leaf] of leaves) {
    const text = String(leaf)
    // Another agent without restrictions or questions.
    if (/^(?:danger-full-access|bypassPermissions|dangerously-bypass\S*)$/.test(text))
      tamper([{ type: 'resource', name: text }], pointer, text)
    const { own } = argumentName(pointer)
    if (/(?:^|_)port$/.test(own) && guard.addresses.reached(`${String(host ?? 'localhost')}:${text}`))
      tamper([{ type: 'host', host: `${String(host ?? 'localhost')}:${text}` }], pointer, text)
    if (/(?:^|_)(?:pid|process_?id)$/.test(own) && ENDS.test(name) && guard.program.isPid(Number(text)))
      tamper([{ type: 'resource', name: `pid:${text}` }], pointer, text)
    if (typeof leaf !== 'string' || !/[/~.]/.test(leaf)) continue
    const takes = TAKES_TREES.test(name) && !NAMES_ONLY.test(tool.name) && shows
    if (takes) {
      const base = leaves.find(([at]) =>
        /(?:^|_)(?:repo|repository|cwd|root|base)(?:_path|_dir)?$/.test(argumentName(at).own),
      )?.[1]
      const from = typeof base === 'string' && !leaf.startsWith('/') ? posix.join(base, leaf) : leaf
      const met = pathsOf(use, from).flatMap((target) => guard.secretsAt(target, true))
      if (met.length > 0)
        engine.emit(
          { kind: 'secret.read', by: tool.name, targets: met },
          { ...placeOfText(pointer, text), possible: true },
        )
    }
    if (!UNPACKS.test(name)) continue
    const filled = pathsOf(use, leaf).filter(
      ({ path }) => OWN_FOLDER.test(path) && (guard.isNear(path) || paths.holdsGuard(path)),
    )
    if (filled.length > 0) tamper(filled, pointer, text)
  }
}
