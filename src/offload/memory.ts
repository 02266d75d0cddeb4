import { performance } from 'node:perf_hooks'
import type { EventLoopUtilization } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of work after which memory is given back. */
const MUCH = 1_000_000
/** Share of its time that an idle thread may have worked. */
const IDLE = 0.1

/** What a memory return is made of. */
export interface MemoryReturnOptions {
  /** Milliseconds that the thread has to have been idle: it stands still while memory is given back. */
  readonly restMs: number
  readonly collect?: () => void
  /** What the thread has worked since an earlier answer. */
  readonly worked?: (since?: EventLoopUtilization) => EventLoopUtilization
}

/** A plain collection leaves V8 the room for what is new, which grows to more than 100 MB, until it happens to shrink it. */
const collectAll = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: Readonly<Record<string, string>>) => void
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Gives memory back after much work: nothing that was looked at is needed any more, and whoever is idle does not ask for
 * memory, so that V8 by itself would keep it. A thread that still has other things to do is not stopped for it. Each
 * thread has its own. Call it with the bytes of what was done.
 */
export const createMemoryReturn = ({
  restMs,
  collect = collectAll(),
  worked = (since) => performance.eventLoopUtilization(since),
}: MemoryReturnOptions): ((bytes: number) => void) => {
  let done = 0
  let resting: NodeJS.Timeout | undefined
  const rest = (): void => {
    clearTimeout(resting)
    const before = worked()
    resting = setTimeout(() => {
      if (worked(before).utilization > IDLE) {
        rest()
        return
      }
      done = 0
      collect()
    }, restMs).unref()
  }
  return (bytes) => {
    done += bytes
    if (done >= MUCH) rest()
  }
}
