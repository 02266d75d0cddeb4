import type { WordPart } from 'unbash'
import type { ShellState } from '../engine/state.ts'
import type { Value } from '../values/value.ts'

/** What expanding words needs from the interpreter that runs the commands inside them. */
export interface WordHost {
  readonly state: ShellState
  readonly home: string
  /** Value of a variable that the command did not set. */
  environment(name: string): Value
  /** Runs a command substitution and returns its output. */
  substitute(part: Extract<WordPart, { type: 'CommandExpansion' }>): Value
  /** Runs a process substitution and returns its path. */
  processPath(part: Extract<WordPart, { type: 'ProcessSubstitution' }>): Value
  spend(nodes: number): boolean
  /** Follows the nested code in a part of a word. */
  descend(part: Pick<WordPart, 'pos' | 'end'>, work: () => Value): Value
  /** Runs the code in text that the shell expands once more, as in a here-document. */
  expand(text: string): void
  /** Runs text as code. */
  code(text: string): void
  /** Reports that a part of a word was not read. */
  unread(part: Pick<WordPart, 'pos' | 'end' | 'text'>): void
  /** Emits that the text of a part of a word exceeds the limit. */
  tooLong(part: Pick<WordPart, 'pos' | 'end' | 'text'>): void
  /** Stops: the following analysis would be based on incomplete text. */
  exhaust(): void
}
