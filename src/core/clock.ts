/** The clock of the pure core. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions where the machine has them. */
  now(): number
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}
