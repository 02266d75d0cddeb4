import type { Approval } from '../record/approvals/approval.ts'
import { visible } from './trace-view.ts'

/** Approvals of each session that are shown where there are more than a list takes. */
const OF_EACH = 5
/** Sessions that the rest is told by. */
const TOLD = 5

/** What else there is, so that nothing goes unseen behind the many calls of one. */
export const restLines = (shown: readonly Approval[], all: readonly Approval[], total: number): readonly string[] => {
  if (total <= shown.length) return []
  const seen = new Set(shown.map(({ id }) => id))
  const left = Map.groupBy(
    all.filter(({ id }) => !seen.has(id)),
    ({ session }) => session,
  )
  const most = [...left].toSorted(([, one], [, other]) => other.length - one.length).slice(0, TOLD)
  return [
    `… and ${total - shown.length} more; use --limit N to show more, --session NAME to show one session.`,
    all.length < total ? `Of the newest ${all.length}, these are pending:` : 'These are pending:',
    ...most.map(([session, { length }]) => `  ${String(length).padStart(6)}  ${visible(session)}`),
    ...(left.size > most.length ? [`  and of ${left.size - most.length} more sessions`] : []),
  ]
}

/** The newest of each session, so that one that asks without end hides no other. */
export const fairly = (all: readonly Approval[], limit: number): readonly Approval[] => {
  if (all.length <= limit) return all
  const counts = new Map<string, number>()
  return all
    .filter(({ session }) => {
      const count = (counts.get(session) ?? 0) + 1
      counts.set(session, count)
      return count <= OF_EACH
    })
    .slice(0, limit)
}
