import type { EventStore, SessionSummary } from '../stores/store.ts'

const DAY_MS = 86_400_000

/**
 * Removes whole sessions without events for more than `days`; the guard's chain records which, and their ends. `now` in
 * milliseconds since the epoch.
 */
export const applyRetention = async (
  store: Pick<EventStore, 'removeBefore'>,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<readonly SessionSummary[]> => {
  if (!(days >= 0)) throw new RangeError(`days must be 0 or more, not ${days}`)
  return store.removeBefore(now - days * DAY_MS, now)
}
