import type { Engine, Place } from '../engine/engine.ts'
import type { Frame } from '../engine/frame.ts'
import type { Value } from '../values/value.ts'

/** A function of PowerShell code. */
export interface PsFunction {
  readonly body: string
  /** Its parameters, as written in brackets behind its name or behind `param`. */
  readonly parameters: string
}

/** Where PowerShell code is read. */
export interface PsContext {
  readonly engine: Engine
  readonly frame: Frame
  readonly place: Place
  readonly by: string
  /** All the code, as given. */
  readonly whole: string
  /** Variables set so far, by name in lower case. */
  readonly variables: Map<string, Value>
  /** Functions defined so far, by name in lower case, and the names of those that were called. */
  readonly functions: Map<string, PsFunction>
  readonly calledFunctions: Set<string>
  /** Reads nested code and returns its output. */
  code(code: string, input?: Value): Value
  /** Runs a program that is not a cmdlet. */
  program(name: string, args: readonly Value[], stdin?: Value): Value
  /** Emits that something cannot be known before the run. */
  hidden(what: string): void
}
