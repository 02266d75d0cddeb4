/** Lets at most so many through in each minute; asked once for each. */
export type RateLimit = () => boolean

const MINUTE_MS = 60_000

/**
 * Makes a limit. For what strangers can cause without a token, such as records of their refused requests: each is worth
 * keeping, but not at the price of the disk.
 */
export const createRateLimit = (perMinute: number, now: () => number): RateLimit => {
  let minute = Number.NaN
  let left = 0
  return () => {
    const current = Math.floor(now() / MINUTE_MS)
    if (current !== minute) {
      minute = current
      left = perMinute
    }
    left--
    return left >= 0
  }
}
