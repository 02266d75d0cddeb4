import type { Clock } from '../core/clock.ts'
import type { Guard } from '../core/guard.ts'
import { FULL_POWER } from '../core/host-power.ts'
import type { GuardSurface } from '../evidence/effects/analysis.ts'
import { createRecordedWorld } from '../evidence/effects/recorded-world.ts'
import type { SessionLabels } from '../evidence/labels/session-labels.ts'
import type { Observation } from '../protocol/evidence.ts'
import type { Step } from '../protocol/step.ts'
import type { World } from '../protocol/world.ts'
import { recordedSeats } from '../record/replay/recorded-guardians.ts'
import type { RecordedDecision } from '../record/replay/recorded-decision.ts'
import { disabledThen } from '../record/replay/replay-session.ts'
import type { Replayer } from '../record/replay/replay-session.ts'
import { composeGuard, createMemory } from './compose-guard.ts'
import type { GuardParts } from './compose-guard.ts'

/** What recorded steps are decided again by. */
export interface ReplayParts extends Pick<GuardParts, 'config' | 'policiesFor' | 'sql'> {
  /** What of the guard itself an agent could touch. */
  readonly surface: GuardSurface
}

const STILL: Clock = { now: () => 0, after: () => () => undefined }

/** The call that a result belongs to, by what the host says of it. */
const callKey = ({ session, payload }: Step): string => {
  if ('callId' in payload && payload.callId !== undefined) return JSON.stringify([session.id, payload.callId])
  return JSON.stringify([
    session.id,
    'tool' in payload ? payload.tool : null,
    'input' in payload ? payload.input : null,
  ])
}

/** Sessions and calls whose answers are kept for their results. */
const MOST_CALLS = 1_024

/** The machine as it answered when a step was decided; a result knows what was answered about its call. */
const createRecordedAnswers = () => {
  const ofCalls = new Map<string, readonly Observation[]>()
  let home: Observation | undefined
  return ({ step, evidence: { observations } }: RecordedDecision): World => {
    const key = callKey(step)
    const own = step.kind === 'toolCallResult' ? (ofCalls.get(key) ?? observations) : observations
    if (step.kind === 'toolCallRequest') ofCalls.set(key, observations)
    for (const oldest of ofCalls.keys()) {
      if (ofCalls.size <= MOST_CALLS) break
      ofCalls.delete(oldest)
    }
    home = own.find(({ question }) => question === 'home:') ?? home
    return createRecordedWorld(home === undefined ? own : [home, ...own])
  }
}

/** A memory that takes in what came of a step then, whatever is said of it now: that is what the agent has seen. */
const asRecorded = (memory: SessionLabels, current: () => RecordedDecision): SessionLabels => ({
  ...memory,
  observe: (observed) => {
    const { decision, approval, edited } = current().verdict
    memory.observe({
      ...observed,
      merged: edited.length === 0 ? observed.step : observed.merged,
      verdict: { ...observed.verdict, decision, ...(approval === undefined ? {} : { approval }) },
    })
  },
})

/**
 * Puts a guard together that decides recorded steps again, on the one path of enforcement. It asks nothing of the machine
 * and nobody elsewhere: both have answered, and the answers are on record.
 */
export const createReplayingGuard = ({ config, policiesFor, sql, surface }: ReplayParts): Replayer => {
  const answersOf = createRecordedAnswers()
  const memory = createMemory()
  let current: { readonly recorded: RecordedDecision; readonly world: World } | undefined
  const now = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('nothing is being replayed')
    return current
  }
  const world: World = {
    realPath: (path) => now().world.realPath(path),
    pathKind: (path) => now().world.pathKind(path),
    list: (path) => now().world.list(path),
    read: (path) => now().world.read(path),
    env: (name) => now().world.env(name),
    get home() {
      return now().world.home
    },
  }
  const labels = asRecorded(memory, () => now().recorded)
  const guards = new Map<string, Guard>()
  const guardFor = ({ verdict }: RecordedDecision): Guard => {
    const { key, before, after } = recordedSeats(verdict, () => now().recorded)
    const known = guards.get(key)
    if (known !== undefined) return known
    const { guard } = composeGuard({
      config: { ...config, mode: 'enforce' },
      policiesFor,
      ...(sql === undefined ? {} : { sql }),
      surface,
      clock: STILL,
      world,
      labels,
      remotes: { before, after },
      isDisabled: (rule) => disabledThen(now().recorded).includes(rule),
    })
    guards.set(key, guard)
    return guard
  }
  return Object.freeze<Replayer>({
    decide(recorded) {
      current = { recorded, world: answersOf(recorded) }
      return guardFor(recorded).decide(recorded.step, FULL_POWER)
    },
  })
}
