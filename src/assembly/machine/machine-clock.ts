import type { Clock } from '../../core/clock.ts'

/** Both clocks of the machine, in milliseconds. */
export interface MachineTimes {
  /** Since the epoch; it may be set. */
  readonly wall: () => number
  /** Since some moment; it only moves on, and stands still while the machine sleeps. */
  readonly monotonic: () => number
}

const TIMES: MachineTimes = { wall: () => Date.now(), monotonic: () => performance.now() }

/** Milliseconds that the clocks may differ by: wall time has no fractions, and is set right all the time. */
const SLACK = 1_000

/**
 * The machine's clock: wall time at the start, moved on by the monotonic one, so that it never goes back. Where wall time is
 * ahead, since the machine slept or its clock was set, it catches up. With `ref: false` a deadline alone does not keep the
 * process alive.
 */
export const createMachineClock = (
  { ref = true }: { readonly ref?: boolean } = {},
  { wall, monotonic }: MachineTimes = TIMES,
): Clock => {
  let origin = wall() - monotonic()
  return Object.freeze<Clock>({
    now() {
      const ahead = wall() - (origin + monotonic())
      if (ahead > SLACK) origin += ahead
      return origin + monotonic()
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
