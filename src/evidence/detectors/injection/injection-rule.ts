import type { Channel } from '../../../protocol/step.ts'
import type { Candidate, Rule } from '../rule.ts'
import type { InjectionSignal } from './signals.ts'

/** A sign of injected instructions, with texts that show it and texts that only look like it. */
export interface InjectionRule extends Rule {
  readonly signal: InjectionSignal
  /**
   * Literal strings to try the pattern at. In ASCII: at least three characters, lower case, found in either case.
   * Others are found as they are written.
   */
  readonly anchors: readonly string[]
  /** Channels where a hit is no sign: what a person asks for is theirs to ask. */
  readonly except?: readonly Channel[]
  readonly found: readonly string[]
  readonly clean: readonly string[]
}

/** Hits below this are no findings by themselves: they only add to the score. */
export const FINDING_CONFIDENCE = 0.5

const QUOTES = '"\'`“”‘’«»'

/** Whether a value stands in quotation marks of its own: somebody writes about it. */
export const isQuoted = ({ text, start, end }: Candidate): boolean => {
  const before = text.charAt(start - 1)
  if (before === '' || !QUOTES.includes(before)) return false
  const after = text.slice(end, end + 3)
  return Array.from(after).some((char) => QUOTES.includes(char))
}

/** Whether the words before the value tell of it, instead of saying it: "tries to …", "never …", "such as …". */
export const isTold = ({ text, start }: Candidate): boolean => {
  const before = text.slice(Math.max(0, start - 32), start).toLowerCase()
  if (/\b(?:you|must|need|have|want|going|required|now) to\s{1,3}$/.test(before)) return false
  return /(?:\b(?:to|not|never|cannot|can't|won't|don't|says?|said|like|such as|e\.g\.|phrases?|strings?|which|that|may|might|could|would|attackers?|users?|they|who)[\s:,]{1,3}["'`“]?)$/.test(
    before,
  )
}
