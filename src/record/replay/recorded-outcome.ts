import { refusedInstead } from '../../core/host-power.ts'
import type { Decision, Verdict } from '../../protocol/verdict.ts'
import type { RecordedVerdict } from './recorded-decision.ts'

/** The decision of a guard on a step, before downgrades of the host and answers of a person. */
export interface RecordedOutcome {
  readonly decision: Decision
  /** IDs of the rules that contributed to it, sorted. */
  readonly rules: readonly string[]
  readonly reason: string
}

/** Differences between two decisions on one step. */
export type Difference = 'decision' | 'rules' | 'reason'

const rulesOf = ({ policies }: Pick<Verdict, 'policies'>): readonly string[] =>
  [...new Set(policies.map(({ id }) => id))].toSorted()

/** Whether a call waited for a person, with any result. */
const isWaiting = ({ approval, reasonCodes }: RecordedVerdict): boolean =>
  approval !== undefined || reasonCodes.some((code) => code.startsWith('SP_APPROVAL_'))

/** Whether a guardian denied a call at first, before a grant lifted anything. */
const wasDenied = ({ guardians }: RecordedVerdict): boolean =>
  guardians.some(
    ({ guardian, outcome }, index) =>
      outcome === 'deny' && guardians.findIndex((one) => one.guardian === guardian) === index,
  )

/** The decision of the rules on the step, before the host's downgrade and a person's answer. */
const decisionThen = (verdict: RecordedVerdict): Decision => {
  const { decision, downgrade, observed, approval } = verdict
  if (approval?.state === 'used' || approval?.state === 'granted') return wasDenied(verdict) ? 'deny' : 'ask'
  if (isWaiting(verdict)) return 'ask'
  return downgrade?.from ?? observed ?? decision
}

/** The reason of the rules; the additions of hosts and approvals come after it. */
const reasonThen = ({ reason, downgrade }: RecordedVerdict): string => {
  if (downgrade?.to !== 'deny') return reason
  // The second is in records of 0.1.0 before November 2026.
  const added = [refusedInstead(downgrade), `Refused as a whole: ${downgrade.why}.`].find(
    (one) => one !== '' && reason.endsWith(one),
  )
  return added === undefined ? reason : reason.slice(0, -added.length).trimEnd()
}

/** The decision of the guard when the step was recorded. */
export const outcomeThen = (verdict: RecordedVerdict): RecordedOutcome => ({
  decision: decisionThen(verdict),
  rules: rulesOf(verdict),
  reason: reasonThen(verdict),
})

/** The decision of the guard now. */
export const outcomeNow = (verdict: Verdict): RecordedOutcome => ({
  decision: verdict.decision,
  rules: rulesOf(verdict),
  reason: verdict.reason,
})

/** The differences between two answers. */
export const differencesOf = (one: RecordedOutcome, other: RecordedOutcome): readonly Difference[] => [
  ...(one.decision === other.decision ? [] : (['decision'] as const)),
  ...(one.rules.join('\n') === other.rules.join('\n') ? [] : (['rules'] as const)),
  ...(one.reason === other.reason ? [] : (['reason'] as const)),
]

/** Whether the record still has the reason of the rules. */
export const hasReason = (verdict: RecordedVerdict): boolean => !verdict.unguarded && !isWaiting(verdict)
