import type { EventStore, SessionSummary } from '../stores/store.ts'

const DAY_MS = 86_400_000

/**
 * Removes the sessions that have been quiet for more than `days`, whole; the guard's chain says which, and where they
 * ended. `now` in milliseconds since the epoch.
 */
export const applyRetention = async (
  store: Pick<EventStore, 'removeBefore'>,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly SessionSummary[]> => {
  if (!(days >= 0)) throw new RangeError(`days must be 0 or more, not ${days}`)
  return store.removeBefore(now - days * DAY_MS, now)
}
