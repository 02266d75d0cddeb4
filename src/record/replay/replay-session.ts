import type { Outcome } from '../../core/guard.ts'
import type { GuardianRecord } from '../../protocol/verdict.ts'
import type { StoredEvent } from '../stores/store.ts'
import type { RecordedDecision } from './recorded-decision.ts'
import { recordedSteps } from './recorded-steps.ts'
import { differencesOf, hasReason, outcomeNow, outcomeThen } from './recorded-outcome.ts'
import type { Difference, RecordedOutcome } from './recorded-outcome.ts'

/**
 * Decides recorded steps again, those of a session in their order; its memory of a session is built from the recorded
 * steps.
 */
export interface Replayer {
  /** @param complete whether the session's earlier steps are recorded unchanged */
  decide(recorded: RecordedDecision, complete: boolean): Promise<Outcome>
}

/** Why a decision may differ, or which part was taken from the record instead of a new request. */
export type Remark =
  | { readonly kind: 'version'; readonly was: string; readonly now: string }
  /** A local guardian whose rules have changed. */
  | { readonly kind: 'guardian'; readonly guardian: string; readonly was: string; readonly now: string }
  | { readonly kind: 'masked' | 'cut'; readonly pointers: readonly string[] }
  /**
   * An earlier step was masked, cut or cannot be read: the evidence of the session's memory is taken from the record.
   */
  | { readonly kind: 'memory' }
  /** Questions to the machine without a recorded answer. */
  | { readonly kind: 'unresolved'; readonly questions: readonly string[] }
  /** Not asked again: its recorded opinion counts. */
  | { readonly kind: 'elsewhere'; readonly guardian: string }
  /** Decided again as a call without a person's answer. */
  | { readonly kind: 'approval'; readonly state: string; readonly by?: string }
  /** Rules that a person had disabled. */
  | { readonly kind: 'disabled'; readonly rules: readonly string[] }

/** One step of a session, decided again. */
export type ReplayedStep =
  | {
      readonly outcome: 'same' | 'differs'
      readonly event: StoredEvent
      readonly was: RecordedOutcome
      readonly now: RecordedOutcome
      readonly differences: readonly Difference[]
      readonly remarks: readonly Remark[]
    }
  /** The record contains too little of it. */
  | { readonly outcome: 'unreadable'; readonly event: StoredEvent }

/** Ids of the guardians that are asked again. */
const LOCAL_GUARDIANS: readonly string[] = ['evidence', 'policy']

const DISABLED = 'disabled:'

/** Rules that a person had disabled when the step was decided. */
export const disabledThen = ({ verdict }: RecordedDecision): readonly string[] =>
  verdict.reasonCodes.flatMap((code) => (code.startsWith(DISABLED) ? [code.slice(DISABLED.length)] : []))

const versionIn = (guardians: readonly GuardianRecord[], id: string): string | undefined =>
  guardians.find(({ guardian }) => guardian === id)?.version

const guardianRemarks = ({ verdict }: RecordedDecision, outcome: Outcome): readonly Remark[] => [
  ...LOCAL_GUARDIANS.flatMap((guardian): readonly Remark[] => {
    const was = versionIn(verdict.guardians, guardian)
    const now = versionIn(outcome.verdict.guardians, guardian)
    return was === undefined || now === undefined || was === now ? [] : [{ kind: 'guardian', guardian, was, now }]
  }),
  ...[...new Set(verdict.guardians.map(({ guardian }) => guardian))]
    .filter((guardian) => !LOCAL_GUARDIANS.includes(guardian))
    .map((guardian): Remark => ({ kind: 'elsewhere', guardian })),
]

const personRemarks = (recorded: RecordedDecision): readonly Remark[] => {
  const { approval } = recorded.verdict
  const rules = disabledThen(recorded)
  return [
    ...(approval === undefined
      ? []
      : [
          {
            kind: 'approval',
            state: approval.state,
            ...(approval.by === undefined ? {} : { by: approval.by }),
          } satisfies Remark,
        ]),
    ...(rules.length === 0 ? [] : [{ kind: 'disabled', rules } satisfies Remark]),
  ]
}

const gapRemarks = ({ gaps, evidence }: RecordedDecision, outcome: Outcome, complete: boolean): readonly Remark[] => {
  const asked = new Set(evidence.observations.map(({ question }) => question))
  const questions = outcome.evidence.observations.map(({ question }) => question).filter((one) => !asked.has(one))
  return [
    ...(gaps.masked.length === 0 ? [] : [{ kind: 'masked', pointers: gaps.masked } satisfies Remark]),
    ...(gaps.cut.length === 0 ? [] : [{ kind: 'cut', pointers: gaps.cut } satisfies Remark]),
    ...(gaps.answers ? [{ kind: 'masked', pointers: ['(answers of the machine)'] } satisfies Remark] : []),
    ...(questions.length === 0 ? [] : [{ kind: 'unresolved', questions } satisfies Remark]),
    ...(complete ? [] : [{ kind: 'memory' } satisfies Remark]),
  ]
}

/** Compares the recorded decision with the new one. */
const compared = (
  event: StoredEvent,
  recorded: RecordedDecision,
  outcome: Outcome,
  { complete, version }: { readonly complete: boolean; readonly version: string },
): ReplayedStep => {
  const was = outcomeThen(recorded.verdict)
  const now = outcomeNow(outcome.verdict)
  const comparable = hasReason(recorded.verdict) && !recorded.gaps.reason
  const differences = differencesOf(was, now).filter((one) => one !== 'reason' || comparable)
  return {
    outcome: differences.length === 0 ? 'same' : 'differs',
    event,
    was,
    now,
    differences,
    remarks: [
      ...(recorded.version === version ? [] : [{ kind: 'version', was: recorded.version, now: version } as const]),
      ...guardianRemarks(recorded, outcome),
      ...gapRemarks(recorded, outcome, complete),
      ...personRemarks(recorded),
    ],
  }
}

/**
 * Decides every step of one session again, in the order of writing, from its first event on.
 * @param version of Sallyport now
 */
export async function* replaySession(
  events: AsyncIterable<StoredEvent>,
  replayer: Replayer,
  version: string,
): AsyncGenerator<ReplayedStep> {
  for await (const { event, recorded, complete } of recordedSteps(events)) {
    if (recorded === undefined) yield { outcome: 'unreadable', event }
    else yield compared(event, recorded, await replayer.decide(recorded, complete), { complete, version })
  }
}
