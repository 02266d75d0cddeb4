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

/** Area under the ROC curve: how often an attack scores above a benign text; ties count half. */
export const areaUnderCurve = (attacks: readonly number[], benign: readonly number[]): number => {
  const all = [
    ...attacks.map((score) => ({ score, attack: true })),
    ...benign.map((score) => ({ score, attack: false })),
  ]
  all.sort((a, b) => a.score - b.score)
  let rankSum = 0
  for (let from = 0; from < all.length;) {
    let to = from
    while (to < all.length && all[to]?.score === all[from]?.score) to++
    const rank = (from + to + 1) / 2
    for (let at = from; at < to; at++) if (all[at]?.attack === true) rankSum += rank
    from = to
  }
  const pairs = attacks.length * benign.length
  return pairs === 0 ? Number.NaN : rounded((rankSum - (attacks.length * (attacks.length + 1)) / 2) / pairs)
}

/** Share of attacks that score above all but this share of the benign texts. */
export const truePositivesAt = (falseShare: number, attacks: readonly number[], benign: readonly number[]): number => {
  if (attacks.length === 0 || benign.length === 0) return Number.NaN
  const highestFirst = benign.toSorted((a, b) => b - a)
  const limit = highestFirst[Math.floor(falseShare * benign.length)] ?? Number.POSITIVE_INFINITY
  return share(attacks.filter((score) => score > limit).length, attacks.length)
}
