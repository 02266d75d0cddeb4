import type { JsonObject } from '../../protocol/json.ts'
import type { Signed } from '../signatures/signed.ts'
import type { ApproveStatement, DisableRuleStatement, OverrideStatement } from '../signatures/statement.ts'

/**
 * `pending`: nobody has answered; `granted`: may be used; `denied`: a person said no; `expired`: nobody answered, or nobody
 * used the grant, in time; `used`: let its one call through.
 */
export type ApprovalState = 'pending' | 'granted' | 'denied' | 'expired' | 'used'

/** Every state. */
export const APPROVAL_STATES = ['pending', 'granted', 'denied', 'expired', 'used'] as const

/** A person's answer as it stands with its approval. */
export interface ApprovalAnswer {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly by: string
  readonly reason: string
  /** `host`: the person answered the host's own question. */
  readonly via: 'sallyport' | 'host'
}

/** An approval as it is kept. Nothing in it holds a secret: the call is masked, and known by a keyed hash. */
export interface Approval {
  readonly id: string
  /** `override`: break-glass, for a call that was denied. */
  readonly kind: 'ask' | 'override'
  readonly state: ApprovalState
  /** Keyed hash of what makes the call the same call (call.ts). */
  readonly digest: string
  readonly session: string
  readonly project?: string
  /** Working directory of the call: what its relative paths start from. */
  readonly cwd?: string
  readonly host: string
  readonly agent: string
  /** What the call is made to: the tool's name, or the kind of the step. */
  readonly tool: string
  readonly rules: readonly string[]
  readonly guardians: readonly string[]
  /** Why somebody has to agree. */
  readonly reason: string
  /** The call, masked and cut to a size a person reads. */
  readonly call: JsonObject
  /** Where in it, by JSON pointers: what runs there is more than what is kept. Absent: nowhere. */
  readonly masked?: readonly string[]
  readonly cut?: readonly string[]
  /** The host asks its own person, about its call of this id. */
  readonly atHost: boolean
  readonly callId?: string
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** Until when it can be answered; once granted, until when the grant can be used. */
  readonly expiresAt: number
  readonly answer?: ApprovalAnswer
  /** A grant for a time, for every session of its project. */
  readonly standing: boolean
  /** The arguments as the person edited them. */
  readonly input?: JsonObject
  readonly uses: number
  readonly usedAt?: number
  /** What a person signed: without it a grant counts for nothing. */
  readonly signed?: Signed<ApproveStatement | OverrideStatement>
  /** Why the guard did not honour a grant. */
  readonly refused?: string
}

/** Names of the events that approvals leave in the trace. */
export const APPROVAL_EVENTS = [
  'ApprovalRequested',
  'ApprovalGranted',
  'ApprovalDenied',
  'ApprovalExpired',
  'ApprovalUsed',
  'ApprovalUnanswered',
  'ApprovalRefused',
  'RuleDisabled',
  'RuleEnabled',
  'StateAccepted',
] as const

/** An event of {@link APPROVAL_EVENTS} on its way into the trace; `session` is absent for the guard's own chain. */
export interface ApprovalEvent {
  readonly type: (typeof APPROVAL_EVENTS)[number]
  readonly session?: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly body: JsonObject
}

/** A rule that a person has taken out of force for a time. */
export interface DisabledRule {
  readonly rule: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly until: number
  readonly by: string
  readonly reason: string
  /** What the person signed: without it the rule stays in force. */
  readonly signed?: Signed<DisableRuleStatement>
}

/** Milliseconds by which clocks are set right all the time. */
const SLACK = 60_000

/** Whether something began later than now: the clock was set back since, and nobody knows how long it has lasted. */
export const isAhead = (at: number, now: number): boolean => at > now + SLACK

/** Whether it still counts; what is over counts no more, though nothing has ended it yet. */
export const isOver = ({ state, expiresAt, requestedAt, answer }: Approval, now: number): boolean =>
  (state === 'pending' || state === 'granted') && (expiresAt <= now || isAhead(answer?.at ?? requestedAt, now))

/** An approval as it stands at a time. */
export const standingAt = (approval: Approval, now: number): Approval =>
  isOver(approval, now) ? { ...approval, state: 'expired' } : approval

/** What of an approval stands in each of its events. */
export const eventOf = (
  type: ApprovalEvent['type'],
  approval: Approval,
  at: number,
  more: JsonObject = {},
): ApprovalEvent => ({
  type,
  session: approval.session,
  at,
  body: { approval: approval.id, kind: approval.kind, tool: approval.tool, rules: approval.rules, ...more },
})
