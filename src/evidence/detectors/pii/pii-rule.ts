import type { Rule } from '../rule.ts'

/** The start of a search: the first digit of a run of digits, or one of three signs; behind `+` and `(` a digit follows. */
export type PiiTrigger = 'digits' | '@' | '+' | '('

/** A rule for personal data, which has no keyword in common, only digits and signs. */
export interface PiiRule extends Rule {
  readonly trigger: PiiTrigger
  /** Fewest digits in what it finds: a text with fewer is not searched. */
  readonly digits: number
  /** Possible lengths of the first run of digits, if the form limits them: others are not tried. */
  readonly runs?: readonly number[]
}

/** Every length from the first to the last. */
export const lengths = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, more) => from + more)

/**
 * A left edge: none of these characters comes before the value, unless it is the letter of an escape such as `\\n` in
 * JSON, which is not part of the text.
 * @param characters content of a character class
 */
export const leftEdge = (characters: string): string => String.raw`(?:(?<![\\${characters}])|(?<=\\[nrt]))`
