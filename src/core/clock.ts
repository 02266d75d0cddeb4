/** Time as the pure core is given it. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions where the machine has them. */
  now(): number
  /** Calls `run` once after `ms`; the function returned calls it off. */
  after(ms: number, run: () => void): () => void
}
