import type { Match } from './detector.ts'
import { maskFor } from './mask-text.ts'
import { withoutOverlaps } from './overlap.ts'

/** Rounds after which a text is left as it is; real texts need one, to see that nothing is left. */
const ROUNDS = 6

const SEVERITIES = ['critical', 'high', 'medium', 'low']

/** Graver first, then surer: the order in which overlapping matches of several detectors give the name. */
const rank = ({ severity, confidence }: Match): number => SEVERITIES.indexOf(severity) + (1 - confidence) / 2

interface Masked {
  readonly text: string
  /** Where an offset of the masked text lies in the original; offsets inside a mask give its near or far edge. */
  readonly toOriginal: (offset: number, edge: 'start' | 'end') => number
}

/** How many pieces begin before this offset, by halving: there may be as many as a text has words. */
const countBefore = (pieces: readonly { readonly at: number }[], offset: number): number => {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.at ?? Infinity) < offset) low = middle + 1
    else high = middle
  }
  return low
}

const mask = (text: string, matches: readonly Match[]): Masked => {
  const pieces: { readonly at: number; readonly length: number; readonly start: number; readonly end: number }[] = []
  let result = ''
  let from = 0
  for (const { start, end, type } of matches) {
    result += text.slice(from, start)
    const replacement = maskFor(type)
    pieces.push({ at: result.length, length: replacement.length, start, end })
    result += replacement
    from = end
  }
  const toOriginal = (offset: number, edge: 'start' | 'end'): number => {
    const piece = pieces[countBefore(pieces, offset) - 1]
    if (piece === undefined) return offset
    if (offset < piece.at + piece.length) return edge === 'start' ? piece.start : piece.end
    return offset - piece.at - piece.length + piece.end
  }
  return { text: result + text.slice(from), toOriginal }
}

/**
 * Finds all that masking would uncover: what stands against a secret without an edge gets one by its mask. So masking
 * a text twice is masking it once, whatever the rules.
 * @param detect what the detectors find in a text, in any order
 */
export const settle = <M extends Match>(text: string, detect: (text: string) => readonly M[]): readonly M[] => {
  let matches = withoutOverlaps(detect(text), rank)
  for (let round = 0; round < ROUNDS && matches.length > 0; round++) {
    const masked = mask(text, matches)
    const more = detect(masked.text)
    if (more.length === 0) break
    const mapped = more.map((match) => ({
      ...match,
      start: masked.toOriginal(match.start, 'start'),
      end: masked.toOriginal(match.end, 'end'),
    }))
    matches = withoutOverlaps([...matches, ...mapped], rank)
  }
  return matches
}
