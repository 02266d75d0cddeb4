import type { Rule } from '../rule.ts'

/** What a rule for personal data starts from: the first digit of a run of digits, or one of three signs. */
export type PiiTrigger = 'digits' | '@' | '+' | '('

/** A rule for personal data. Such data have no keyword in common, only digits and signs. */
export interface PiiRule extends Rule {
  readonly trigger: PiiTrigger
  /** How long the first run of digits may be, where the form says so: others are not tried. */
  readonly runs?: readonly number[]
}

/** Every length from the first to the last. */
export const lengths = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, more) => from + more)

/**
 * A left edge: none of these characters stands before the value, unless it is the letter of an escape such as `\\n` in
 * JSON, which is no part of the text it stands in.
 * @param characters inside of a character class
 */
export const leftEdge = (characters: string): string => String.raw`(?:(?<![\\${characters}])|(?<=\\[nrt]))`
