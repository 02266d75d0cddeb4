import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'

/** A clock that stands still until it is moved, so that no test waits for one. */
export interface FakeClock extends Clock {
  /** Moves on, calling what is due on the way, each at its time. */
  advance(ms: number): void
  /** Moves on in small strides, with room for sockets in between, until something has come; says what. */
  until<T>(coming: Promise<T>, strideMs?: number): Promise<T>
}

/** Whether a connection is open or being made: then the kernel needs the processor, too. */
const talks = (): boolean => process.getActiveResourcesInfo().some((kind) => kind === 'TCPSocketWrap')

/** Makes one that begins at 1,000,000. */
export const createFakeClock = (): FakeClock => {
  let time = 1_000_000
  const due = new Set<{ readonly at: number; readonly run: () => void }>()
  const advance = (ms: number): void => {
    const end = time + ms
    for (;;) {
      const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      due.delete(next)
      time = Math.max(time, next.at)
      next.run()
    }
    time = end
  }
  return Object.freeze<FakeClock>({
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run }
      due.add(timer)
      return () => {
        due.delete(timer)
      }
    },
    advance,
    async until(coming, strideMs = 25) {
      const wait = { over: false }
      const end = (): void => {
        wait.over = true
      }
      coming.then(end, end)
      while (!wait.over) {
        // What is on its way through a socket arrives within some rounds of the event loop, if the machine gets to it.
        for (let round = 0; !wait.over && round < 50; round++) await setImmediate()
        if (!wait.over && talks()) await setTimeout(1)
        if (!wait.over) advance(strideMs)
      }
      return coming
    },
  })
}
