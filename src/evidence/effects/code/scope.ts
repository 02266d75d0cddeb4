import type { TextTest } from '../values/glob.ts'
import type { Value } from '../values/value.ts'

/** What is known at a place of the code that is read. */
export interface Scope {
  readonly vars: Map<string, Result>
  /** Local name to the dotted name that it is bound to. */
  readonly names: Map<string, string>
  readonly home: string
  /** Paths of the guard, or their ancestors, that a file pattern may match. */
  matched(pattern: string): readonly string[]
  /** Paths of the guard below a folder whose last name fits. */
  guarded(folder: string, name: TextTest): readonly string[]
  /** Counts evaluated tokens; false above the limit. Nested expressions are evaluated anew. */
  look(tokens: number): boolean
  /** What flows out of calls that read files or the network, by dotted name. */
  flowOf(dotted: string, args: readonly Result[]): Value | undefined
}

/** An expression's value; `items` when it is a list. */
export interface Result {
  readonly value: Value
  readonly items?: readonly Result[]
}
