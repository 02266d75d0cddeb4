/** Interval of the guard's signs of life, and of the checks of its watch. */
export const BEAT_MS = 500

/** Checks without a sign of life after which a guard that cannot run at all is terminated: two and a half seconds. */
const LOOKS_WHEN_STOPPED = 5
/** The same for one that may only be slow, such as on a swapping machine: ten seconds. */
const LOOKS_WHEN_SILENT = 20

/** The result of one check of the guard. `stopped`: by a signal or a debugger; `silent`: for an unknown reason. */
export type Look = 'well' | 'wait' | 'stopped' | 'silent'

/** Counts the checks without a sign of life from a guard. */
export interface Silence {
  /** Records a sign of life. */
  beat(): void
  /** @param isStopped called only when needed: whether the system prevents the process from running */
  look(isStopped: () => boolean): Look
}

/**
 * Counts checks instead of milliseconds: a machine that slept, or that has no time for the guard, has none for its
 * watch either, and a guard must not be terminated for that.
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
