import type { Detector, Match } from '../../src/evidence/detectors/detector.ts'
import { maskRanges, maskText } from '../../src/evidence/detectors/text/mask-text.ts'
import type { Scanner } from '../../src/evidence/detectors/scanner.ts'
import type { EffectAnalysis } from '../../src/evidence/effects/engine/analysis.ts'
import { applyEdits } from '../../src/core/edits.ts'
import { EFFECT_KINDS, FINDING_CATEGORIES, SEVERITIES } from '../../src/protocol/evidence.ts'
import type { Channel } from '../../src/protocol/step.ts'

/** Breaks a case: the law and what broke it. Says nothing when it holds. */
export const holds = (law: string, kept: boolean, detail?: unknown): void => {
  if (!kept) throw new Error(`${law}: ${JSON.stringify(detail) ?? ''}`)
}

/** The same input gives the same output, whatever was asked before. */
export const isSame = <T>(first: T, again: T): T => {
  const [one, other] = [JSON.stringify(first), JSON.stringify(again)]
  holds('the same input gives the same output', one === other, [first, again])
  return first
}

/** Whether a cut at this place would part a surrogate pair. */
const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

interface Stretch {
  readonly start: number
  readonly end: number
}

/** A stretch lies in the text, and is none of nothing unless it may be. */
export const liesIn = (text: string, { start, end }: Stretch, least = 1): void => {
  const whole = Number.isInteger(start) && Number.isInteger(end)
  holds('a stretch lies in its text', whole && start >= 0 && end - start >= least && end <= text.length, [start, end])
}

const isMatch = (text: string, match: Match): void => {
  liesIn(text, match)
  const { category, type, severity, confidence, start, end } = match
  holds('a match parts no surrogate pair', !splitsPair(text, start) && !splitsPair(text, end), [start, end])
  holds('a match has a known category', FINDING_CATEGORIES.includes(category), category)
  holds('a match has a known severity', SEVERITIES.includes(severity), severity)
  holds('a match has a type in kebab case', /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(type), type)
  holds('a confidence is a share', confidence > 0 && confidence <= 1, confidence)
}

/** What the contract of a detector promises (src/evidence/detectors/detector.ts). */
export const detects = (detector: Detector, text: string, channel: Channel): void => {
  const matches = isSame(detector.detect(text, channel), detector.detect(text, channel))
  let from = 0
  for (const match of matches) {
    isMatch(text, match)
    holds('matches are in order and apart', match.start >= from, match)
    from = match.end
  }
}

/** A text with what the scanner finds in it taken out, and the laws of doing so. */
export const masks = (scanner: Scanner, text: string, selection: readonly string[]): void => {
  const { matches } = scanner.scanText(text, 'tool')
  for (const match of matches) isMatch(text, match)
  const ranges = maskRanges(matches, selection)
  let [from, length] = [0, text.length]
  for (const range of ranges) {
    liesIn(text, range)
    holds('ranges are in order and apart', range.start >= from, ranges)
    from = range.end
    length += range.text.length - (range.end - range.start)
  }
  const masked = maskText(text, matches, selection)
  holds('masking changes the ranges and nothing else', masked.length === length, masked)
  const applied = applyEdits({ text }, [{ kind: 'ranges', pointer: '/text', ranges }])
  holds(
    'the edit does what masking does',
    JSON.stringify(applied) === JSON.stringify({ outcome: 'applied', payload: { text: masked } }),
    applied,
  )
  const left = scanner.scanText(masked, 'tool').matches
  holds('masking twice is masking once', maskText(masked, left, selection) === masked, [masked, left])
}

/** Effects are of known kinds and stand in the text they are told of. */
export const tells = (text: string, pointer: string, { effects }: EffectAnalysis): void => {
  for (const { kind, span, certainty } of effects) {
    holds('an effect has a known kind', EFFECT_KINDS.includes(kind), kind)
    holds('an effect is certain or possible', certainty === 'certain' || certainty === 'possible', certainty)
    if (span?.pointer === pointer) liesIn(text, span, 0)
    else holds('an effect stands in the text it is told of', span === undefined, span)
  }
}
