/** The score that so large a part of the benign texts reaches or passes. */
export const thresholdAt = (benign: readonly number[], rate: number): number => {
  const sorted = benign.toSorted((a, b) => b - a)
  return (sorted[Math.floor(sorted.length * rate)] ?? 0) + 1e-9
}

/** The part of these scores that reach a threshold. */
export const partAbove = (scores: readonly number[], threshold: number): number =>
  scores.length === 0 ? NaN : scores.filter((score) => score >= threshold).length / scores.length
