import type { Channel } from '../../../protocol/step.ts'
import type { Candidate, Rule } from '../rule.ts'
import type { InjectionSignal } from './signals.ts'

/** A sign of injected instructions, with texts that contain it and texts that only resemble them. */
export interface InjectionRule extends Rule {
  readonly signal: InjectionSignal
  /**
   * Literal strings at which the pattern is tried. ASCII ones have at least three characters, in lower case, and match
   * either case. Others match exactly.
   */
  readonly anchors: readonly string[]
  /** Channels where a match is not a sign: a person may ask for it. */
  readonly except?: readonly Channel[]
  readonly found: readonly string[]
  readonly clean: readonly string[]
}

/** Matches below this are not findings by themselves: they only add to the score. */
export const FINDING_CONFIDENCE = 0.5

const QUOTES = '"\'`“”‘’«»'

/** Whether a value has quotation marks of its own: the text is about it. */
export const isQuoted = ({ text, start, end }: Candidate): boolean => {
  const before = text.charAt(start - 1)
  if (before === '' || !QUOTES.includes(before)) return false
  const after = text.slice(end, end + 3)
  return Array.from(after).some((char) => QUOTES.includes(char))
}

/** Whether the words before the value describe it instead of stating it: "tries to …", "never …", "such as …". */
export const isDescribed = ({ text, start }: Candidate): boolean => {
  const before = text.slice(Math.max(0, start - 32), start).toLowerCase()
  if (/\b(?:you|must|need|have|want|going|required|now) to\s{1,3}$/.test(before)) return false
  return /(?:\b(?:to|not|never|cannot|can't|won't|don't|says?|said|like|such as|e\.g\.|phrases?|strings?|which|that|may|might|could|would|attackers?|users?|they|who)[\s:,]{1,3}["'`“]?)$/.test(
    before,
  )
}
