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
  /** Whether a result may be reused; a failure never is. */
  readonly isKept: (result: T) => boolean
}

/** Where a result came from. */
export type ScanSource = 'asked' | 'joined' | 'remembered'

/** Scans by a key of content and profile: equal ones are requested once, and cached for a while. */
export interface SharedScans<T> {
  /** A valid cached result. */
  recall(key: string): T | undefined
  /**
   * Asks unless the same question is pending.
   * @param make runs while anyone waits, with the latest deadline of the waiters
   * @param given the result for a waiter that gave up before
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

/** Creates a cache of scans that is not shared. */
export const createSharedScans = <T>({ keepMs, entries, now, isKept }: SharedScansOptions<T>): SharedScans<T> => {
  const kept = createBoundedMap<string, T>({ most: entries, age: { ms: keepMs, now } })
  const running = new Map<string, Running<T>>()

  const start = (key: string, make: (deadline: Deadline) => Promise<T>): Running<T> => {
    const abort = new AbortController()
    const one: Running<T> = {
      abort,
      until: 0,
      waiting: 0,
      // Starts once the deadline of its first waiter is known.
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
        // A completed scan is no longer there; one without waiters is cancelled, and the next caller asks anew.
        if (one.waiting === 0 && running.get(key) === one) {
          running.delete(key)
          one.abort.abort()
        }
      }
    },
  })
}
