import type { Clock } from './clock.ts'

/** Work that is repeated, with a last run at its end. */
export interface Loop {
  /** Does it now. Never rejects. */
  now(): Promise<void>
  /** Runs it a last time and stops. */
  stop(): Promise<void>
}

/** Runs work that never rejects, again `ms` after each end; the returned function stops it. */
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

/** Begins to do work that never rejects. */
export const startLoop = (clock: Pick<Clock, 'after'>, ms: number, work: () => Promise<void>): Loop => {
  let stopped = false
  const end = repeat(clock, ms, work)
  return Object.freeze<Loop>({
    now: work,
    async stop() {
      if (stopped) return
      stopped = true
      end()
      await work()
    },
  })
}
