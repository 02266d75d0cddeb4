import type { CompoundList, Statement, Word } from 'unbash'
import type { Span } from '../../../protocol/evidence.ts'
import type { CommandRow, Language, WindowsDialect } from './call.ts'
import type { Engine, Place } from './engine.ts'
import type { Value } from '../values/value.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import type { Field } from '../values/field.ts'
import type { FunctionBody, ShellState } from './state.ts'

/** Runs shell code in a frame and gives what it prints. Handed down, since commands run code that runs commands. */
export interface Runner {
  text(text: string, frame: Frame): Value
  statements(statements: readonly Statement[], frame: Frame): Value
  node(node: Statement['command'] | CompoundList, frame: Frame): Value
  /** Runs a program or function with arguments already expanded. */
  argv(argv: readonly Field[], frame: Frame, run: ProgramRun): Value
  /** Reads code of a language. */
  code(language: Language, code: string, context: CodeContext): Value
  /** Follows what code of a language brings in from beside it. */
  modules(language: Language, code: string, context: CodeContext): void
  /** Reads code of a shell of Windows. */
  windows(dialect: WindowsDialect, code: string, context: CodeContext): Value
}

/** The place of the analysed code, and the program that runs it. */
export interface CodeContext {
  readonly frame: Frame
  readonly place: Place
  readonly by: string
}

/** What surrounds one run of a program. */
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
  /** JSON pointer of the string whose offsets spans are given in. */
  readonly pointer: string
  /** UTF-16 code units of that string: of an unfinished word the parser may see the end behind it. */
  readonly length: number
  /** Set inside nested code: the stretch of the outer word. */
  readonly span?: Span
  readonly possible: boolean
  readonly background: boolean
  /** Inside a file that was there before the call. */
  readonly onDisk?: boolean
  /** File of the code that is read, absolute; not set for code of the command itself. */
  readonly file?: string | undefined
  /** Folders of the search path for modules. */
  readonly search?: readonly string[]
  /** The grammar of the shell that the code is given to; not set where that is the machine's own. */
  readonly dialect?: Dialect | undefined
  /** Inside a pipe. */
  readonly piped: boolean
  /** The command behind the pipe that alone gets what this one prints, where it is written out. */
  readonly feeds?: string | undefined
  /** The container that the program runs in, by its name. */
  readonly container?: string
  /** Runs as another user, in another's name space or with another root. */
  readonly raised?: boolean
  /** Nesting of code in code. */
  readonly depth: number
  /** Functions being run, outermost first. */
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

/** The place of a syntax node for effects that arise there. */
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
 * The grammar that the code of a frame is in: of the shell that it is given to, or of the machine's. A host that finds
 * neither bash nor zsh in `SHELL` takes one of them by a search of its own, so such a machine says nothing.
 */
const grammarOf = ({ dialect, engine }: Frame): Dialect | undefined => {
  if (dialect !== undefined) return dialect
  const machine = dialectOf(engine.paths.world.env('SHELL') ?? '')
  return machine === 'fish' || machine === 'other' ? undefined : machine
}

/** Whether a shell of this grammar may read the code of a frame: true as long as it is not known that another one does. */
export const mayBe = (frame: Frame, dialect: Dialect): boolean => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === dialect
}

/** Text that every shell reads alike: plain words, quotes without escapes, lists and pipes. */
const ALIKE = /^[\w\s./~:=@%+,;&|'"-]*$/

/** Whether the code of a frame may mean something else than is read: it is for a shell of which only a part is read. */
export const isForeign = ({ dialect }: Frame, text: string): boolean =>
  (dialect === 'fish' || dialect === 'other') && !ALIKE.test(text)

/** How a parser's error is told: text for bash or sh has no other grammar that might hold. */
export const howUnread = (frame: Frame): 'syntax' | 'dialect' => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === 'bash' || grammar === 'sh' ? 'syntax' : 'dialect'
}
