import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of work after which memory is given back. */
const MUCH = 1_000_000
/** Milliseconds without anything more to do before that. */
const REST_MS = 250

/**
 * Gives memory back after much work: nothing that was looked at is needed any more, and whoever is idle does not ask for
 * memory, so that V8 by itself would keep it. Each thread has its own. Call it with the bytes of what was done.
 */
export const createMemoryReturn = (): ((bytes: number) => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let done = 0
  let resting: NodeJS.Timeout | undefined
  return (bytes) => {
    done += bytes
    if (done < MUCH) return
    clearTimeout(resting)
    resting = setTimeout(() => {
      done = 0
      collect()
    }, REST_MS).unref()
  }
}
