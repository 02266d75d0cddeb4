import type { Sign } from './find-signs.ts'
import type { Calibration } from './injection-model.ts'
import { FINDING_SIGNALS } from './signals.ts'

/** Lower bound of the logits of a window: a text without known words may still contain a sign. */
const LOWEST = { logit: -4, words: -3 }

/** The logits of both models for a range of text. */
export interface Logits {
  readonly logit: number
  readonly words: number
}

/** The logits of an empty text. */
export const NOTHING: Logits = { logit: -Infinity, words: -Infinity }

/** Logits within the bounds of the calibration. */
export const bounded = ({ logit, words }: Logits): Logits => ({
  logit: Math.max(LOWEST.logit, logit),
  words: Math.max(LOWEST.words, words),
})

/** The highest confidence of each family, in the order of FINDING_SIGNALS. */
export const signalsOf = (signs: readonly Sign[]): readonly number[] =>
  FINDING_SIGNALS.map((family) =>
    signs.reduce((most, { rule, confidence }) => (rule.signal === family ? Math.max(most, confidence) : most), 0),
  )

/** The calibrated probability of a window with these logits and these signs. */
export const probabilityOf = (calibration: Calibration, logits: Logits, signs: readonly Sign[]): number => {
  const { logit, words } = bounded(logits)
  let sum = calibration.offset + calibration.slope * logit + calibration.words * words
  if (signs.length > 0)
    for (const [at, strength] of signalsOf(signs).entries())
      sum += strength * (calibration.signals[FINDING_SIGNALS[at] ?? ''] ?? 0)
  return 1 / (1 + Math.exp(-sum))
}

/** Longer signs are cut for the search; no pattern matches more. */
const LONGEST_SIGN = 512

/** The signs that touch a range, by binary search; they are sorted by start. */
export const signsWithin = (sorted: readonly Sign[], start: number, end: number): readonly Sign[] => {
  if (sorted.length === 0) return sorted
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.start ?? Infinity) < start - LONGEST_SIGN) low = middle + 1
    else high = middle
  }
  const near: Sign[] = []
  for (let at = low; at < sorted.length; at++) {
    const sign = sorted[at]
    if (sign === undefined || sign.start >= end) break
    if (sign.end > start) near.push(sign)
  }
  return near
}
