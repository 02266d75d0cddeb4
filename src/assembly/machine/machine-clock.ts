import type { Clock } from '../../core/clock.ts'

/** Both clocks of the machine, in milliseconds. */
export interface MachineTimes {
  /** Since the epoch; it may be adjusted. */
  readonly wall: () => number
  /** Since an arbitrary moment; it only moves forward, and stops while the machine sleeps. */
  readonly monotonic: () => number
}

const TIMES: MachineTimes = { wall: () => Date.now(), monotonic: () => performance.now() }

/** Tolerated difference of the clocks in milliseconds: wall time has no fractions, and is often adjusted. */
const SLACK = 1_000

/**
 * The machine's clock: wall time at the start, advanced by the monotonic one, so that it never goes back. Where wall
 * time is ahead, after a sleep or an adjustment, it catches up. With `ref: false` a deadline alone does not keep the
 * process alive.
 */
export const createMachineClock = (
  { ref = true }: { readonly ref?: boolean } = {},
  { wall, monotonic }: MachineTimes = TIMES,
): Clock => {
  let origin = wall() - monotonic()
  return Object.freeze<Clock>({
    now() {
      const passed = monotonic()
      const ahead = wall() - (origin + passed)
      if (ahead > SLACK) origin += ahead
      return origin + passed
    },
    after(ms: number, run: () => void) {
      const timer = setTimeout(run, ms)
      if (!ref) timer.unref()
      return () => {
        clearTimeout(timer)
      }
    },
  })
}
