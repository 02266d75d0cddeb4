/** Area under the ROC curve: how often an attack scores above a benign text. */
export const areaUnderCurve = (attacks: readonly number[], benign: readonly number[]): number => {
  const all = [
    ...attacks.map((score) => ({ score, attack: true })),
    ...benign.map((score) => ({ score, attack: false })),
  ]
  all.sort((a, b) => a.score - b.score)
  let rankSum = 0
  for (let i = 0; i < all.length;) {
    let j = i
    while (j < all.length && all[j]?.score === all[i]?.score) j++
    for (let k = i; k < j; k++) if (all[k]?.attack === true) rankSum += (i + j + 1) / 2
    i = j
  }
  return (rankSum - (attacks.length * (attacks.length + 1)) / 2) / (attacks.length * benign.length)
}

/** The score that so large a part of the benign texts reaches or passes. */
export const thresholdAt = (benign: readonly number[], rate: number): number => {
  const sorted = benign.toSorted((a, b) => b - a)
  return (sorted[Math.floor(sorted.length * rate)] ?? 0) + 1e-9
}

/** The part of these scores that reach a threshold. */
export const partAbove = (scores: readonly number[], threshold: number): number =>
  scores.length === 0 ? NaN : scores.filter((score) => score >= threshold).length / scores.length
