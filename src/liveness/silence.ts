/** How often the guard gives a sign of life, and how often its watch looks for one. */
export const BEAT_MS = 500

/** Looks without a sign of life after which a guard that cannot run at all is ended: two and a half seconds. */
const LOOKS_WHEN_STOPPED = 5
/** The same for one that may only be slow, such as on a machine that swaps: ten seconds. */
const LOOKS_WHEN_SILENT = 20

/** What one look at the guard comes to. `stopped`: a signal or a debugger holds it; `silent`: nobody can tell why. */
export type Look = 'well' | 'wait' | 'stopped' | 'silent'

/** Counts the checks without a sign of life from a guard. */
export interface Silence {
  /** Takes note of a sign of life. */
  beat(): void
  /** @param isStopped asked only once it matters: whether the system says that the process is not allowed to run */
  look(isStopped: () => boolean): Look
}

/**
 * Counts looks and not milliseconds: a machine that slept, or that has no time for the guard, has none for its watch either,
 * and a guard must not be ended for that.
 */
export const createSilence = (): Silence => {
  let looks = 0
  return Object.freeze<Silence>({
    beat() {
      looks = 0
    },
    look(isStopped) {
      looks++
      if (looks === 1) return 'well'
      if (looks < LOOKS_WHEN_STOPPED) return 'wait'
      if (isStopped()) return 'stopped'
      return looks < LOOKS_WHEN_SILENT ? 'wait' : 'silent'
    },
  })
}
