import type { StoredEvent } from '../stores/store.ts'
import { recordedSteps } from './recorded-steps.ts'
import type { Replayer } from './replay-session.ts'
import { differencesOf, outcomeNow, outcomeThen } from './recorded-outcome.ts'
import type { RecordedOutcome } from './recorded-outcome.ts'

/** A step of the record under two sets of settings. */
export type PreviewedStep =
  | {
      readonly outcome: 'same' | 'changes'
      readonly event: StoredEvent
      readonly was: RecordedOutcome
      readonly now: RecordedOutcome
    }
  /** The record contains too little of it. */
  | { readonly outcome: 'unreadable'; readonly event: StoredEvent }

/**
 * Decides every step of one session with a draft, and with the settings in force: masks and later changes of the record
 * affect both alike, so every difference is caused by the draft.
 * @param current absent: the recorded decision itself
 */
export async function* previewSession(
  events: AsyncIterable<StoredEvent>,
  draft: Replayer,
  current?: Replayer,
): AsyncGenerator<PreviewedStep> {
  for await (const { event, recorded, complete } of recordedSteps(events)) {
    if (recorded === undefined) {
      yield { outcome: 'unreadable', event }
      continue
    }
    const outcomeBy = async (replayer: Replayer): Promise<RecordedOutcome> =>
      outcomeNow((await replayer.decide(recorded, complete)).verdict)
    const was = current === undefined ? outcomeThen(recorded.verdict) : await outcomeBy(current)
    const now = await outcomeBy(draft)
    const changes = differencesOf(was, now).some((one) => one !== 'reason')
    yield { outcome: changes ? 'changes' : 'same', event, was, now }
  }
}

/** A step with a different decision. */
export type ChangedStep = Extract<PreviewedStep, { readonly was: RecordedOutcome }>

/** Steps whose decision changes in the same way by the same rule. */
export interface ChangeGroup {
  /** Absent if no rule explains the difference. */
  readonly rule?: string
  /** Such as `allow`. */
  readonly was: RecordedOutcome['decision']
  readonly now: RecordedOutcome['decision']
  readonly steps: readonly ChangedStep[]
}

/** The rules that cause the difference: added ones; else removed ones; else those that decide differently. */
export const rulesBehind = ({ was, now }: Pick<ChangedStep, 'was' | 'now'>): readonly string[] => {
  const come = now.rules.filter((rule) => !was.rules.includes(rule))
  const gone = was.rules.filter((rule) => !now.rules.includes(rule))
  return [come, gone, now.rules].find((rules) => rules.length > 0) ?? []
}

/** Groups changed steps by rule and change; the largest group first. A step is in the group of each of its rules. */
export const groupChanges = (changed: readonly ChangedStep[]): readonly ChangeGroup[] => {
  const entries = changed.flatMap((step) => {
    const rules: readonly (string | undefined)[] = rulesBehind(step)
    return (rules.length === 0 ? [undefined] : rules).map((rule) => ({ rule, step }))
  })
  const keyed = Map.groupBy(entries, ({ rule, step }) =>
    JSON.stringify([rule ?? null, step.was.decision, step.now.decision]),
  )
  return [...keyed.values()]
    .flatMap((group): readonly ChangeGroup[] => {
      const [first] = group
      if (first === undefined) return []
      const { rule, step } = first
      return [
        {
          ...(rule === undefined ? {} : { rule }),
          was: step.was.decision,
          now: step.now.decision,
          steps: group.map((one) => one.step),
        },
      ]
    })
    .toSorted((a, b) => b.steps.length - a.steps.length)
}
