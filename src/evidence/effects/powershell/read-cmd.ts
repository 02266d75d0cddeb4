import type { EffectKind, EffectTrait, Target } from '../../../protocol/evidence.ts'
import type { Engine, Place } from '../engine/engine.ts'
import { literal } from '../values/field.ts'
import type { Frame } from '../engine/frame.ts'
import { EMPTY, type Value, unknown } from '../values/value.ts'
import { type CmdLoop, cmdBranches, cmdCommands, cmdLoop, cmdWords } from './cmd-words.ts'
import { windowsPath } from './windows-path.ts'

const REMOVES = /^(?:del|erase|rd|rmdir)$/
const CHANGES = /^(?:copy|xcopy|robocopy|move|ren|rename|mklink|md|mkdir)$/
const READS = /^(?:type|more|findstr|find)$/
const GOES = /^(?:cd|chdir|pushd)$/
const SHOWS =
  /^(?:dir|echo|rem|cls|ver|vol|title|pause|exit|setlocal|endlocal|popd|tree|where|path|prompt|color|goto|shift|verify|break)$/
const BATCH = /\.(?:bat|cmd)$/

/** Longer lines `cmd` itself does not take. */
const LONGEST = 8_191

type PathTarget = Extract<Target, { readonly type: 'path' }>

/** One reading of `cmd` code. */
interface CmdReading {
  readonly engine: Engine
  readonly frame: Frame
  readonly place: Place
  readonly by: string
  /** Variables that the code sets, in lower case; one that is not known is not here. */
  readonly variables: Map<string, string>
  /** The current folder as written; unknown with a `%`. */
  folder: string | undefined
}

const emit = (
  { engine, place }: CmdReading,
  by: string,
  kind: EffectKind,
  targets: readonly Target[],
  traits: readonly EffectTrait[] = [],
): void => {
  if (targets.length > 0) engine.emit({ kind, by, targets, traits }, place)
}

const pathOf = (reading: CmdReading, word: string, use: 'entry' | 'content'): PathTarget => {
  const { folder, engine } = reading
  const whole = /^(?:[a-z]:|[\\/~]|%)/i.test(word) || folder === undefined ? word : `${folder}\\${word}`
  return { ...windowsPath(whole, engine, use), raw: word }
}

const hide = (reading: CmdReading, raw: string): void => {
  for (const kind of ['exec.run', 'unresolved'] as const) emit(reading, reading.by, kind, [{ type: 'unknown', raw }])
}

/** Expands the variables that the code itself has set, and the folder of a batch file. */
const expanded = (code: string, variables: ReadonlyMap<string, string>): string =>
  code
    .replace(/%~dp0\\?/gi, '')
    .replace(/([%!])(\w+)\1/g, (whole, _sign: string, name: string) => variables.get(name.toLowerCase()) ?? whole)

const enter = (reading: CmdReading, to: string | undefined): void => {
  if (to === undefined) return
  reading.folder = pathOf(reading, to, 'content').zone === 'unresolved' ? '%CD_UNKNOWN%' : joined(reading.folder, to)
}

const joined = (folder: string | undefined, to: string): string =>
  folder === undefined || /^(?:[a-z]:|[\\/~]|%)/i.test(to) ? to : `${folder}\\${to}`

const assign = ({ variables }: CmdReading, raw: string): void => {
  const [, given, name = '', value = ''] = /^@?set\s+(\/[ap]\s+)?"?([\w.-]+)\s*=([^"]*)"?\s*$/i.exec(raw) ?? []
  if (given === undefined && name !== '' && value.length <= LONGEST) variables.set(name.toLowerCase(), value)
  else variables.delete(name.toLowerCase())
}

/** What a loop's variable may be, one by one; a `%` in it is what cannot be known. */
const itemsOf = (loop: CmdLoop, reading: CmdReading): readonly string[] => {
  const { way, set, root } = loop
  // A folder represents everything below it.
  if (way === 'r') return [`${root ?? reading.folder ?? '.'}\\*`]
  if (way !== 'f') return cmdWords(set)
  const command = /^(['`])([^]*)\1$/.exec(set)?.[2]
  if (command !== undefined) readCode(command, reading)
  const text = command === undefined ? /^"([^"]*)"$/.exec(set)?.[1] : undefined
  if (command === undefined && text === undefined) emit(reading, 'for', 'fs.read', filesOf(reading, cmdWords(set)))
  return [text ?? '%ITEM%']
}

const loopOver = (loop: CmdLoop, reading: CmdReading): void => {
  const variable = new RegExp(`%{1,2}(?:~[a-z]*)?${loop.letter}(?!\\w*%)`, 'g')
  for (const item of itemsOf(loop, reading)) {
    if (!reading.engine.spend(1)) return
    readCode(
      loop.body.replaceAll(variable, () => item),
      reading,
    )
  }
}

const isFlag = (word: string): boolean => /^\/\w/.test(word)

const filesOf = (reading: CmdReading, words: readonly string[]): readonly PathTarget[] =>
  words.filter((word) => !isFlag(word) && !word.startsWith('>')).map((word) => pathOf(reading, word, 'entry'))

const read = (reading: CmdReading, name: string, targets: readonly PathTarget[]): void => {
  emit(reading, name, 'fs.read', targets)
  const secrets = targets.filter((one) => one.zone === 'credential' || one.zone === 'dotenv')
  emit(reading, name, 'secret.read', secrets)
}

const runProgram = ({ frame, place }: CmdReading, words: readonly string[]): void => {
  frame.runner.argv(
    words.map(literal),
    { ...frame, depth: frame.depth + 1 },
    { place, environment: new Map(), network: false },
  )
}

const runWords = (reading: CmdReading, name: string, first: string, rest: readonly string[]): void => {
  const flags = rest.filter(isFlag).map((word) => word.toLowerCase())
  if (REMOVES.test(name)) {
    const recursive: EffectTrait[] = flags.includes('/s') ? ['recursive'] : []
    const traits = flags.includes('/f') || flags.includes('/q') ? [...recursive, 'force' as const] : recursive
    return emit(reading, name, 'fs.delete', filesOf(reading, rest), traits)
  }
  if (name === 'format') return emit(reading, name, 'device.write', [{ type: 'resource', name: rest[0] ?? '' }])
  if (CHANGES.test(name)) return emit(reading, name, 'fs.write', filesOf(reading, rest).slice(-1))
  if (READS.test(name)) return read(reading, name, filesOf(reading, rest))
  if (GOES.test(name))
    return enter(
      reading,
      rest.find((word) => !isFlag(word)),
    )
  if (name === 'set' || SHOWS.test(name) || name.startsWith(':')) return
  if (/[%!]/.test(name)) return hide(reading, first)
  if (name === 'call' && rest[0]?.startsWith(':') === true) return
  if (name === 'call' || name === 'start') {
    const [program = '', ...args] = rest.filter((word) => !isFlag(word))
    return program === '' ? undefined : runWords(reading, program.toLowerCase(), program, args)
  }
  runProgram(reading, BATCH.test(name) ? [`./${first.replaceAll('\\', '/')}`, ...rest] : [first, ...rest])
}

const runCommand = (reading: CmdReading, raw: string): void => {
  const [given = '', ...rest] = cmdWords(raw)
  const first = given.replace(/^@/, '')
  runWords(reading, first.toLowerCase(), first, rest)
  const at = rest.findIndex((word) => /^>>?(?!&)/.test(word))
  const into = at < 0 ? undefined : (rest[at] ?? '').replace(/^>+/, '') || rest[at + 1]
  if (into !== undefined && !/^nul$/i.test(into)) emit(reading, first, 'fs.write', [pathOf(reading, into, 'content')])
}

const readCode = (code: string, reading: CmdReading): void => {
  const { engine, variables } = reading
  if (engine.exhausted() || !engine.spendText(code)) return
  for (const command of cmdCommands(code)) {
    if (!engine.spend(1 + command.words.length)) return
    const raw = expanded(command.raw, variables)
    if (raw.length > LONGEST && raw.length > command.raw.length)
      return engine.gap('budget', `a line of more than ${LONGEST} characters`, reading.by, reading.place)
    const group = /^@?\(([^]*)\)$/.exec(raw)?.[1]
    const loop = cmdLoop(raw)
    const branches = cmdBranches(raw)
    const inner = (part: string): void =>
      engine.descend(() => readCode(part, reading), undefined, reading.by, reading.place)
    if (group !== undefined) inner(group)
    else if (loop !== undefined) loopOver(loop, reading)
    else if (branches !== undefined) for (const branch of branches) inner(branch)
    else {
      if (/^@?set\b/i.test(raw)) assign(reading, raw)
      if (/^@?for\b/i.test(raw)) hide(reading, 'for')
      else runCommand(reading, raw)
    }
  }
}

/**
 * Reads `cmd` code: its own commands, variables, loops and branches, and the programs of the command table. What
 * depends on a variable that the code does not set is unresolved.
 */
export const readCmd = (code: string, frame: Frame, place: Place, by: string): Value => {
  const { engine } = frame
  if (engine.exhausted()) return unknown()
  readCode(code, { engine, frame, place, by, variables: new Map(), folder: undefined })
  return EMPTY
}
