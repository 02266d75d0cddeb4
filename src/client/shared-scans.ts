import { createBoundedMap } from '../bounded/bounded-map.ts'
import { aborted } from './aborted.ts'
import type { Deadline } from './retry-policy.ts'

export interface SharedScansOptions<T> {
  /** Milliseconds for which a result is valid; 0 caches none. */
  readonly keepMs: number
  /** Most cached results. */
  readonly entries: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Whether a result may be given again; a failure is none. */
  readonly isKept: (result: T) => boolean
}

/** Where a result came from. */
export type ScanSource = 'asked' | 'joined' | 'remembered'

/** Scans by a key of content and profile: equal ones are requested once, and cached for a while. */
export interface SharedScans<T> {
  /** A result that is still good. */
  recall(key: string): T | undefined
  /**
   * Asks unless somebody is asking already.
   * @param make runs for as long as anybody waits, and in the time of the most patient of them
   * @param given stands for the result where its waiter gave up before
   */
  ask(
    key: string,
    make: (deadline: Deadline) => Promise<T>,
    deadline: Deadline,
    given: T,
  ): Promise<{ readonly result: T; readonly source: ScanSource }>
}

interface Running<T> {
  readonly result: Promise<T>
  readonly abort: AbortController
  until: number
  waiting: number
}

/** Makes a memory of scans, which nobody else shares. */
export const createSharedScans = <T>({ keepMs, entries, now, isKept }: SharedScansOptions<T>): SharedScans<T> => {
  const kept = createBoundedMap<string, T>({ most: entries, age: { ms: keepMs, now } })
  const running = new Map<string, Running<T>>()

  const start = (key: string, make: (deadline: Deadline) => Promise<T>): Running<T> => {
    const abort = new AbortController()
    const one: Running<T> = {
      abort,
      until: 0,
      waiting: 0,
      // Begins once its first waiter has said how long it waits.
      result: Promise.resolve().then(async () => {
        try {
          const result = await make({ until: () => one.until, signal: abort.signal })
          if (isKept(result)) kept.set(key, result)
          return result
        } finally {
          if (running.get(key) === one) running.delete(key)
        }
      }),
    }
    running.set(key, one)
    return one
  }

  return Object.freeze<SharedScans<T>>({
    recall: (key) => kept.get(key),
    async ask(key, make, { until, signal }, given) {
      const known = kept.get(key)
      if (known !== undefined) return { result: known, source: 'remembered' }
      const present = running.get(key)
      const one = present ?? start(key, make)
      one.until = Math.max(one.until, until())
      one.waiting++
      try {
        const result = await Promise.race([one.result, aborted(signal).then(() => given)])
        return { result, source: present === undefined ? 'asked' : 'joined' }
      } finally {
        one.waiting--
        // One that is over is no longer there; what nobody waits for is called off, and whoever comes now asks anew.
        if (one.waiting === 0 && running.get(key) === one) {
          running.delete(key)
          one.abort.abort()
        }
      }
    },
  })
}
