/** A threshold found on texts of a channel that are all benign. */
export interface Threshold {
  /** From which probability on a text is found; four places. */
  readonly threshold: number
  /** How many texts it was found on. */
  readonly texts: number
  /** Share of them that it would find. */
  readonly falseAlarms: number
}

const PLACES = 10_000

/**
 * The lowest threshold at which no more than a share of benign texts is found. Their scores are probabilities, and what
 * reaches the threshold is found; so it lies just above the score of the first text that has to be left alone.
 */
export const thresholdFor = (scores: readonly number[], falseAlarms: number): Threshold => {
  const highestFirst = scores.toSorted((a, b) => b - a)
  const first = highestFirst[Math.floor(falseAlarms * scores.length)] ?? 0
  const threshold = Math.min(PLACES, Math.floor(first * PLACES) + 1) / PLACES
  const found = scores.filter((score) => score >= threshold).length
  return { threshold, texts: scores.length, falseAlarms: scores.length === 0 ? 0 : found / scores.length }
}

/** Texts below which a share of false alarms cannot be told from none. */
export const textsNeeded = (falseAlarms: number): number => Math.ceil(1 / falseAlarms)
