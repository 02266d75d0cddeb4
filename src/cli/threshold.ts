/** A threshold found on texts of a channel that are all benign. */
export interface Threshold {
  /** From which probability on a text is found; four places. */
  readonly threshold: number
  /** How many texts it was found on. */
  readonly texts: number
  /** Share of them that it would find. */
  readonly falseAlarms: number
  /** The threshold in force, and how many of them that finds. */
  readonly now: { readonly threshold: number; readonly finds: number }
}

const PLACES = 10_000

/**
 * The lowest threshold at which no more than a share of benign texts is found. Their scores are probabilities, and what
 * reaches the threshold is found; so it lies just above the score of the first text that has to be left alone.
 */
export const thresholdFor = (scores: readonly number[], falseAlarms: number, inForce: number): Threshold => {
  const highestFirst = scores.toSorted((a, b) => b - a)
  const first = highestFirst[Math.floor(falseAlarms * scores.length)] ?? 0
  const threshold = Math.min(PLACES, Math.floor(first * PLACES) + 1) / PLACES
  const finds = (from: number): number => scores.filter((score) => score >= from).length
  return {
    threshold,
    texts: scores.length,
    falseAlarms: scores.length === 0 ? 0 : finds(threshold) / scores.length,
    now: { threshold: inForce, finds: finds(inForce) },
  }
}

/** Texts below which a share of false alarms cannot be told from none. */
export const textsNeeded = (falseAlarms: number): number => Math.ceil(1 / falseAlarms)
