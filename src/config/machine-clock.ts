import type { Clock } from '../core/clock.ts'

/**
 * The machine's clock: wall time at the start, moved on by the monotonic one, so that it never jumps. With `ref: false` a
 * deadline alone does not keep the process alive.
 */
export const createMachineClock = ({ ref = true }: { readonly ref?: boolean } = {}): Clock =>
  Object.freeze({
    now: () => performance.timeOrigin + performance.now(),
    after(ms: number, run: () => void) {
      const timer = setTimeout(run, ms)
      if (!ref) timer.unref()
      return () => {
        clearTimeout(timer)
      }
    },
  })
