import type { Clock } from '../../core/clock.ts'
import { startLoop } from '../../core/repeat.ts'
import type { Loop } from '../../core/repeat.ts'
import type { EventStore } from '../stores/store.ts'
import { openKeyedSeals } from './authenticate.ts'

export interface SealingOptions {
  readonly store: Pick<EventStore, 'seal'>
  /** File of the sealing keys; without the file, seals have no proof of their own. */
  readonly keyFile: string
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Milliseconds from one seal to the next. */
  readonly everyMs: number
  readonly fault: (error: unknown) => void
}

/**
 * Seals now, with the key of the file if it exists; resolves to the number of seals. The file is read each time: a
 * person may create it while the guard runs.
 */
export const sealNow = async (store: Pick<EventStore, 'seal'>, keyFile: string, at: number): Promise<number> => {
  const keyed = openKeyedSeals(keyFile)
  const written = await store.seal(at, keyed?.authenticate)
  if (written > 0) keyed?.evolve()
  return written
}

/** Starts to seal in parallel to decisions: none waits for a seal. */
export const startSealing = ({ store, keyFile, clock, everyMs, fault }: SealingOptions): Loop => {
  const seal = async (): Promise<void> => {
    try {
      await sealNow(store, keyFile, Math.round(clock.now()))
    } catch (error) {
      fault(error)
    }
  }
  return startLoop(clock, everyMs, seal)
}
