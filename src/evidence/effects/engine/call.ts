import type { EffectKind, EffectTrait, Target } from '../../../protocol/evidence.ts'
import type { Engine, Place } from './engine.ts'
import type { HostTarget } from '../places/hosts.ts'
import type { PathTarget, PathUse } from '../places/paths.ts'
import type { Dialect } from './dialect.ts'
import type { Field } from '../values/field.ts'
import type { OptionSpec, Options } from '../values/options.ts'
import type { ShellState } from './state.ts'
import type { Value } from '../values/value.ts'

/** Languages whose code is read; `other` is any that has no reader of its own, compiled ones too. */
export type Language = 'python' | 'javascript' | 'perl' | 'ruby' | 'php' | 'lua' | 'awk' | 'other'

/** How a file is run: by a shell of its own, by this one, by an interpreter, or by what its first line names. */
export type FileUse = 'shell' | 'here' | Language | 'unknown'

/** Code that a file holds, with what reads it. */
export interface CodePiece {
  readonly as: 'shell' | Language
  readonly code: string
}

/** Shells of Windows whose code is read. */
export type WindowsDialect = 'powershell' | 'cmd'

export interface Details {
  readonly traits?: readonly EffectTrait[]
  readonly possible?: boolean
}

/** One run of a command, as its row sees it: what it was given, and what it can say about it. */
export interface Call {
  /** The program's name without folder and version. */
  readonly name: string
  readonly args: readonly Field[]
  readonly options: Options
  /** What arrives on standard input; `undefined` when nothing is piped in. */
  readonly stdin: Value | undefined
  readonly state: ShellState
  readonly engine: Engine
  /** Where the call stands. */
  readonly place: Place
  /** Standard input or output is a network connection. */
  readonly network: boolean
  /** The command behind the pipe that alone gets what this one prints, where it is written out. */
  readonly feeds: string | undefined
  /** The container it runs in, by its name, where it is put into one. */
  readonly container: string | undefined
  /** Whether it runs as another user, in another's name space or with another root. */
  readonly raised: boolean
  /** Environment variables set for this run, by prefix or export. */
  environment(): ReadonlyMap<string, Value>
  emit(kind: EffectKind, targets?: readonly Target[], details?: Details): void
  /** Path targets of fields: patterns expanded, every working directory it may run in. */
  paths(fields: readonly Field[], use: PathUse): readonly PathTarget[]
  /** Says that files are read, and gives their content. */
  read(fields: readonly Field[], details?: Details): Value
  /** Says that files are written with this content; `undefined` is content not known. */
  write(fields: readonly Field[], content: Value | undefined, details?: Details): void
  remove(fields: readonly Field[], details?: Details): void
  /** Says that data goes to a host; secrets in it are told as well. */
  send(hosts: readonly Target[], data: Value, details?: Details): void
  /** Hosts of fields that are URLs or `host[:port]`. */
  hosts(fields: readonly Field[]): readonly HostTarget[]
  /** Runs another command with the same standard input or another one. */
  run(argv: readonly Field[], change?: RunChange): Value
  /** Whether a shell of this grammar may run the call. */
  mayBe(dialect: Dialect): boolean
  /**
   * Runs what a shell runs when it evaluates text: as it expands a here-document, as arithmetic, or as the name of a
   * variable, which may have a subscript.
   */
  evaluate(text: Value, as: 'text' | 'arithmetic' | 'name'): void
  /** Runs text as shell code. */
  shell(text: Value, change?: RunChange): Value
  /** Reads text as code of a language. */
  code(language: Language, text: Value): Value
  /** Reads text as PowerShell, or as `cmd` code. */
  windows(dialect: WindowsDialect, text: Value): Value
  /** Runs a file: what the command itself wrote there, or what lies there now if it is within reach. */
  runFile(field: Field, as: FileUse, args: readonly Field[]): Value
  /**
   * Runs code that is picked from a file on disk; a text is shell code.
   * @param path absolute
   * @param part names what is picked, so that it does not run itself without end
   * @param cwd where the code runs
   */
  runFileCode(
    path: string,
    part: string,
    cwd: string,
    args: readonly Field[],
    pick: (text: string) => readonly (string | CodePiece)[],
  ): void
  /** Something in this run that cannot be told. */
  unresolved(raw: string): void
}

export interface RunChange {
  /** `undefined` as a member: what arrives there is not for the command. */
  readonly stdin?: Value | undefined
  /** The shell that reads the code, by its grammar. */
  readonly dialect?: Dialect | undefined
  /** In a shell of its own. */
  readonly forked?: boolean
  readonly positional?: readonly Value[]
  /** What is not among them may be given another time. */
  readonly mayHaveMore?: boolean
  readonly possible?: boolean
  /** Names of variables set for the run. */
  readonly environment?: ReadonlyMap<string, Value>
  /** The container it runs in, by its name. */
  readonly container?: string
  /** It runs as another user, in another's name space or with another root. */
  readonly raised?: true
  /** Working directory of the run; `undefined` as a member is a folder not known. */
  readonly cwds?: readonly (string | undefined)[]
}

/**
 * A command line with the effects it has, in short: `fs.delete+recursive@workspace`, `net.send?` (possible). A text may
 * hold several, separated by blanks.
 */
export type Example = readonly [command: string, ...effects: string[]]

/** One row of the command table: what running these programs does. */
export interface CommandRow extends OptionSpec {
  readonly names: readonly string[]
  /** Says the effects; gives what it prints, where that is followed. */
  readonly run: (call: Call) => Value | undefined | void
  readonly examples: readonly Example[]
  /** Nothing is known of the program but what it runs. */
  readonly isOpen?: true
  /** Where lines of data say what the program does: these lines, and the row with other lines in their place. */
  readonly byLines?: {
    readonly lines: readonly (readonly [act: string, lines: string])[]
    readonly withLines: (lines: readonly (readonly [act: string, lines: string])[]) => CommandRow
  }
}
