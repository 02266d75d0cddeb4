/** A range of a text. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Of overlapping ranges, keeps the first by `rank` (lower is more specific), then the longer. The result is sorted and
 * free of overlaps, so that each part of a text has one type.
 */
export const withoutOverlaps = <T extends Stretch>(found: readonly T[], rank: (one: T) => number): readonly T[] => {
  if (found.length < 2) return found
  const kept: T[] = []
  const byStart = found.toSorted((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end)
  for (const next of byStart) {
    const last = kept.at(-1)
    if (last === undefined || next.start >= last.end) {
      kept.push(next)
      continue
    }
    const better = rank(next) - rank(last) || last.end - last.start - (next.end - next.start)
    // The winner determines the type, both determine the range: a mask covers everything that was found.
    const winner = better < 0 ? next : last
    kept[kept.length - 1] = {
      ...winner,
      start: Math.min(last.start, next.start),
      end: Math.max(last.end, next.end),
    }
  }
  return kept
}
