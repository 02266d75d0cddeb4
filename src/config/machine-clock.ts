import type { Clock } from '../core/clock.ts'

/** The machine's clock: wall time at the start, moved on by the monotonic one, so that it never jumps. */
export const createMachineClock = (): Clock =>
  Object.freeze({
    now: () => performance.timeOrigin + performance.now(),
    after(ms: number, run: () => void) {
      const timer = setTimeout(run, ms)
      return () => {
        clearTimeout(timer)
      }
    },
  })
