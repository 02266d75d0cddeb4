import { rounded } from '../bench.ts'

/** Right and wrong answers counted against what people marked. */
export interface Tally {
  hit: number
  missed: number
  false: number
}

/** Shares to four places: the smallest goals are parts of a thousand. */
export const share = (part: number, whole: number): number =>
  whole === 0 ? Number.NaN : Math.round((part / whole) * 10_000) / 10_000

/** Precision, recall and their harmonic mean, named `<name>_precision` and so on; nothing where nothing was marked. */
export const tallyFigures = (name: string, tally: Tally): Readonly<Record<string, number>> => {
  const { hit, missed } = tally
  if (hit + missed === 0) return {}
  return {
    [`${name}_precision`]: rounded(hit / Math.max(1, hit + tally.false)),
    [`${name}_recall`]: rounded(hit / (hit + missed)),
    [`${name}_f1`]: rounded((2 * hit) / (2 * hit + missed + tally.false)),
  }
}
