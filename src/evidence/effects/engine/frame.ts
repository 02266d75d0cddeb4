import type { CompoundList, Statement, Word } from 'unbash'
import type { Span } from '../../../protocol/evidence.ts'
import type { CommandRow, Language, WindowsDialect } from './call.ts'
import type { Engine, Place } from './engine.ts'
import type { Value } from '../values/value.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import type { Field } from '../values/field.ts'
import type { FunctionBody, ShellState } from './state.ts'

/** Runs shell code in a frame and returns its output. Passed down, since commands run code that runs commands. */
export interface Runner {
  text(text: string, frame: Frame): Value
  statements(statements: readonly Statement[], frame: Frame): Value
  node(node: Statement['command'] | CompoundList, frame: Frame): Value
  /** Runs a program or function with expanded arguments. */
  argv(argv: readonly Field[], frame: Frame, run: ProgramRun): Value
  /** Reads code of a language. */
  code(language: Language, code: string, context: CodeContext): Value
  /** Follows the imports of code of a language. */
  modules(language: Language, code: string, context: CodeContext): void
  /** Reads code of a Windows shell. */
  windows(dialect: WindowsDialect, code: string, context: CodeContext): Value
}

/** The place of the analysed code, and the program that runs it. */
export interface CodeContext {
  readonly frame: Frame
  readonly place: Place
  readonly by: string
}

/** The context of one run of a program. */
export interface ProgramRun {
  readonly place: Place
  /** Variables set for this run. */
  readonly environment: ReadonlyMap<string, Value>
  /** Standard input or output is a network connection. */
  readonly network: boolean
}

/** The context of a piece of shell code in an analysis. */
export interface Frame {
  readonly engine: Engine
  readonly state: ShellState
  readonly runner: Runner
  /** Row of the command table by a program's name. */
  readonly rows: (name: string) => CommandRow | undefined
  /** JSON pointer of the string that span offsets refer to. */
  readonly pointer: string
  /** Length of that string in UTF-16 code units: the parser may place the end of an unfinished word after it. */
  readonly length: number
  /** Set inside nested code: the span of the outer word. */
  readonly span?: Span
  readonly possible: boolean
  readonly background: boolean
  /** Inside a file that existed before the call. */
  readonly onDisk?: boolean
  /** Absolute path of the file with the code; not set for code of the command itself. */
  readonly file?: string | undefined
  /** Folders of the search path for modules. */
  readonly search?: readonly string[]
  /** The dialect of the shell that runs the code; not set for the machine's own shell. */
  readonly dialect?: Dialect | undefined
  /** Inside a pipe. */
  readonly piped: boolean
  /** The command after the pipe that alone receives the output, if it is literal. */
  readonly feeds?: string | undefined
  /** Name of the container that the program runs in. */
  readonly container?: string
  /** Runs as another user, in another namespace or with another root. */
  readonly raised?: boolean
  /** Nesting of code in code. */
  readonly depth: number
  /** Running functions, outermost first. */
  readonly calling: readonly string[]
  /** Their bodies. */
  readonly running: readonly FunctionBody[]
}

/** Whether nested code is deeper than the limit, which is emitted as an effect. */
export const isTooDeep = ({ depth, engine }: Frame, by: string, place: Place): boolean => {
  if (depth <= engine.maxDepth) return false
  engine.gap('depth', `code in code, more than ${engine.maxDepth} times`, by, place)
  return true
}

/** The place of a syntax node. */
export const placeOf = (frame: Frame, node: Pick<Word, 'pos' | 'end'>): Place => ({
  span: frame.span ?? {
    pointer: frame.pointer,
    start: Math.min(node.pos, frame.length),
    end: Math.min(node.end, frame.length),
  },
  possible: frame.possible,
  background: frame.background,
  ...(frame.onDisk === true ? { onDisk: true } : {}),
})

/**
 * The dialect of the code of a frame: that of its shell, or of the machine's. Without bash or zsh in `SHELL`, a host
 * searches for one of them, so the dialect is unknown.
 */
const grammarOf = ({ dialect, engine }: Frame): Dialect | undefined => {
  if (dialect !== undefined) return dialect
  const machine = dialectOf(engine.paths.world.env('SHELL') ?? '')
  return machine === 'fish' || machine === 'other' ? undefined : machine
}

/** Whether a shell of this dialect may read the code of a frame: true unless another one is known. */
export const mayBe = (frame: Frame, dialect: Dialect): boolean => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === dialect
}

/** Text that all shells read alike: plain words, quotes without escapes, lists and pipes. */
const ALIKE = /^[\w\s./~:=@%+,;&|'"-]*$/

/** Whether the code of a frame may mean something else, because its shell is read only in part. */
export const isForeign = ({ dialect }: Frame, text: string): boolean =>
  (dialect === 'fish' || dialect === 'other') && !ALIKE.test(text)

/** The trait of a parse error: text for bash or sh cannot be valid in another dialect. */
export const howUnread = (frame: Frame): 'syntax' | 'dialect' => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === 'bash' || grammar === 'sh' ? 'syntax' : 'dialect'
}
