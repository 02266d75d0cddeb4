import type { Guardian, GuardianSeat, Opinion } from '../../core/guardian.ts'
import { NO_OBJECTION } from '../../core/guardian.ts'
import type { Edit } from '../../protocol/edit.ts'
import type { Json } from '../../protocol/json.ts'
import { valueAt } from '../../protocol/json-pointer.ts'
import type { Step } from '../../protocol/step.ts'
import type { Decision, GuardianRecord } from '../../protocol/verdict.ts'
import type { RecordedDecision, RecordedVerdict } from './recorded-decision.ts'

/** Remote guardians in their recorded seats: before the local rules, and after them. */
export interface RecordedSeats {
  /** The same for the same guardians in the same order. */
  readonly key: string
  readonly before: readonly GuardianSeat[]
  readonly after: readonly GuardianSeat[]
}

const DECISIONS: readonly unknown[] = ['allow', 'modify', 'ask', 'defer', 'deny'] satisfies readonly Decision[]

const HERE: readonly string[] = ['evidence', 'policy']

/** Its changes are not recorded, only their places: each place keeps its value. */
const editsOf = ({ edited = [] }: GuardianRecord, step: Step): readonly Edit[] =>
  edited.flatMap((pointer): readonly Edit[] => {
    const value = valueAt(step.payload as unknown as Json, pointer)
    return value === undefined ? [] : [{ kind: 'replace', pointer, value }]
  })

const opinionOf = (record: GuardianRecord, step: Step, { verdict, evidence }: RecordedDecision): Opinion => {
  const { guardian, outcome, reason = '', policies = [], stage } = record
  const edits = stage === 'recheck' ? [] : editsOf(record, step)
  const recorded = DECISIONS.includes(outcome) ? (outcome as Decision) : verdict.unguarded ? 'allow' : 'deny'
  const decision = recorded === 'modify' && edits.length === 0 ? 'allow' : recorded
  return {
    outcome: 'verdict',
    decision,
    reason,
    reasonCodes: [],
    policies,
    findings: stage === 'evidence' ? evidence.findings.filter(({ detector }) => detector === guardian) : [],
    edits: decision === 'allow' ? [] : edits,
  }
}

const guardianOf = (id: string, stage: Guardian['stage'], current: () => RecordedDecision): Guardian => {
  /** Its opinion on the step as received, or on the merged one. */
  const recordFor = (step: Step): GuardianRecord | undefined => {
    const { verdict, step: arrived } = current()
    const own = verdict.guardians.filter(({ guardian }) => guardian === id)
    return own.find((one) => (one.stage === 'recheck') === (step !== arrived))
  }
  const evaluateNow = (step: Step): Opinion => {
    const record = recordFor(step)
    return record === undefined ? NO_OBJECTION : opinionOf(record, step, current())
  }
  return Object.freeze<Guardian>({
    id,
    get version() {
      return current().verdict.guardians.find(({ guardian }) => guardian === id)?.version ?? ''
    },
    stage,
    handles: (step) => recordFor(step) !== undefined,
    evaluate: async (step) => evaluateNow(step),
    evaluateNow,
  })
}

/** Seats that repeat the opinions of remote guardians from the record of the step being decided. */
export const recordedSeats = (verdict: RecordedVerdict, current: () => RecordedDecision): RecordedSeats => {
  const first = new Map(verdict.guardians.toReversed().map((one) => [one.guardian, one]))
  const order = [...new Set(verdict.guardians.map(({ guardian }) => guardian))]
  const turn = order.indexOf('policy')
  const seats = (ids: readonly string[]): readonly GuardianSeat[] =>
    ids
      .filter((id) => !HERE.includes(id))
      .map((id) => ({
        guardian: guardianOf(id, first.get(id)?.stage === 'evidence' ? 'evidence' : 'decision', current),
        deadlineMs: 0,
        allowOnFailure: [],
      }))
  const [before, after] = turn === -1 ? [[], order] : [order.slice(0, turn), order.slice(turn)]
  return {
    key: JSON.stringify([before, after, order.map((id) => first.get(id)?.stage)]),
    before: seats(before),
    after: seats(after),
  }
}
