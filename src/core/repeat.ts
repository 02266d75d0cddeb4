import type { Clock } from './clock.ts'

/** Runs work that never rejects, `ms` after it has ended the last time; the function returned ends that. */
export const repeat = (clock: Pick<Clock, 'after'>, ms: number, work: () => Promise<void>): (() => void) => {
  let stopped = false
  let cancel = (): void => {}
  const run = async (): Promise<void> => {
    await work()
    wait()
  }
  const wait = (): void => {
    if (!stopped) cancel = clock.after(ms, () => void run())
  }
  wait()
  return () => {
    stopped = true
    cancel()
  }
}
