/** The score that so large a part of the benign texts reaches or passes. */
export const thresholdAt = (benign: readonly number[], rate: number): number => {
  const sorted = benign.toSorted((a, b) => b - a)
  return (sorted[Math.floor(sorted.length * rate)] ?? 0) + 1e-9
}

/** The part of these scores that reach a threshold. */
export const partAbove = (scores: readonly number[], threshold: number): number =>
  scores.length === 0 ? NaN : scores.filter((score) => score >= threshold).length / scores.length

const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places

/** Area under the ROC curve: how often an attack scores above a benign text; ties count half. To three places. */
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
  return pairs === 0 ? Number.NaN : rounded((rankSum - (attacks.length * (attacks.length + 1)) / 2) / pairs, 3)
}

/** Share of attacks that score above all but this share of the benign texts. To four places. */
export const truePositivesAt = (falseShare: number, attacks: readonly number[], benign: readonly number[]): number => {
  if (attacks.length === 0 || benign.length === 0) return Number.NaN
  const highestFirst = benign.toSorted((a, b) => b - a)
  const limit = highestFirst[Math.floor(falseShare * benign.length)] ?? Number.POSITIVE_INFINITY
  return rounded(attacks.filter((score) => score > limit).length / attacks.length, 4)
}
