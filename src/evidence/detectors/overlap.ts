/** A stretch of a text. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Of stretches that overlap, keeps the ones that come first by `rank` (lower is more telling), then the longer.
 * What is kept is sorted and free of overlaps, so that a text has one name for each of its parts.
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
    // The winner gives the name, both give the cover: nothing that was found may be left out of a mask.
    const winner = better < 0 ? next : last
    kept[kept.length - 1] = {
      ...winner,
      start: Math.min(last.start, next.start),
      end: Math.max(last.end, next.end),
    }
  }
  return kept
}
