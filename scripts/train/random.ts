/** Numbers from 0 up to 1, the same each time. */
export type Random = () => number

/** A generator of its own, so that every run trains on the same texts. */
export const createRandom = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Picks one of several. */
export const picker =
  (random: Random) =>
  <T>(from: readonly T[]): T =>
    from[Math.floor(random() * from.length)] as T
