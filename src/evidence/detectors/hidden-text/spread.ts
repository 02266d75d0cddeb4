import type { Match } from '../detector.ts'
import { hidden } from './finding.ts'

/** Single characters that could each be a piece of one message. */
const PIECES: ReadonlySet<string> = new Set(['zero-width', 'stray-selector', 'invisible-letter'])

/** So many of them, and so many that are not the one that comes most: soft hyphens and places to break are all alike. */
const FEWEST = 16
const FEWEST_OTHERS = 4

/** Whether they are of several kinds, as signs of a message are. */
const differ = (text: string, pieces: readonly Match[]): boolean => {
  const counts = new Map<string, number>()
  for (const { start, end } of pieces) {
    const piece = text.slice(start, end)
    counts.set(piece, (counts.get(piece) ?? 0) + 1)
  }
  return pieces.length - Math.max(...counts.values()) >= FEWEST_OTHERS
}

/** Invisible characters that stand singly all over a text, and say something together. */
export const tellSpread = (text: string, found: readonly Match[]): readonly Match[] => {
  const pieces = found.filter(({ type }) => PIECES.has(type))
  if (pieces.length < FEWEST || !differ(text, pieces)) return found
  return found.map((match) =>
    PIECES.has(match.type) ? hidden('invisible-spread', 'high', 0.85, match.start, match.end) : match,
  )
}
