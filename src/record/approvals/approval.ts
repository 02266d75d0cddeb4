import type { JsonObject } from '../../protocol/json.ts'
import type { Signed } from '../signatures/signed.ts'
import type { ApproveStatement, DisableRuleStatement, OverrideStatement } from '../signatures/statement.ts'

/**
 * `pending`: without an answer; `granted`: may be used; `denied`: a person refused; `expired`: without an answer, or
 * unused, at its deadline; `used`: has allowed its one call.
 */
export type ApprovalState = 'pending' | 'granted' | 'denied' | 'expired' | 'used'

/** Every state. */
export const APPROVAL_STATES = ['pending', 'granted', 'denied', 'expired', 'used'] as const

/** A person's answer, stored with its approval. */
export interface ApprovalAnswer {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly by: string
  readonly reason: string
  /** `host`: the person answered the host's own question. */
  readonly via: 'sallyport' | 'host'
}

/** A stored approval. It contains no secret: the call is masked, and identified by a keyed hash. */
export interface Approval {
  readonly id: string
  /** `override`: break-glass, for a call that was denied. */
  readonly kind: 'ask' | 'override'
  readonly state: ApprovalState
  /** Keyed hash of the members that identify a call (call.ts). */
  readonly digest: string
  readonly session: string
  readonly project?: string
  /** Working directory of the call, the base of its relative paths. */
  readonly cwd?: string
  readonly host: string
  readonly agent: string
  /** The target of the call: the tool's name, or the kind of the step. */
  readonly tool: string
  readonly rules: readonly string[]
  readonly guardians: readonly string[]
  /** Why an approval is needed. */
  readonly reason: string
  /** The call, masked and cut to a size a person reads. */
  readonly call: JsonObject
  /** JSON pointers to its masked parts: more runs there than is stored. Absent: none. */
  readonly masked?: readonly string[]
  readonly cut?: readonly string[]
  /** The host asks its own person, about its call of this id. */
  readonly atHost: boolean
  readonly callId?: string
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** Deadline for an answer; once granted, for the use of the grant. */
  readonly expiresAt: number
  readonly answer?: ApprovalAnswer
  /** A grant for a time, for every session of its project. */
  readonly standing: boolean
  /** The arguments as the person edited them. */
  readonly input?: JsonObject
  readonly uses: number
  readonly usedAt?: number
  /** The person's signed statement: without it a grant is invalid. */
  readonly signed?: Signed<ApproveStatement | OverrideStatement>
  /** Why the guard rejected a grant. */
  readonly refused?: string
}

/** Names of approval events in the trace. */
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

/** An event of {@link APPROVAL_EVENTS} for the trace; `session` is absent for the guard's own chain. */
export interface ApprovalEvent {
  readonly type: (typeof APPROVAL_EVENTS)[number]
  readonly session?: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly body: JsonObject
}

/** A rule that a person has disabled for a time. */
export interface DisabledRule {
  readonly rule: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly until: number
  readonly by: string
  readonly reason: string
  /** The person's signed statement: without it the rule stays enabled. */
  readonly signed?: Signed<DisableRuleStatement>
}

/** Milliseconds by which clocks are commonly adjusted. */
const SLACK = 60_000

/** Whether something began later than now: the clock was set back since, so its age is unknown. */
export const isAhead = (at: number, now: number): boolean => at > now + SLACK

/** Whether it has expired, though it may not be marked so yet. */
export const isOver = ({ state, expiresAt, requestedAt, answer }: Approval, now: number): boolean =>
  (state === 'pending' || state === 'granted') && (expiresAt <= now || isAhead(answer?.at ?? requestedAt, now))

/** The state of an approval at a time. */
export const standingAt = (approval: Approval, now: number): Approval =>
  isOver(approval, now) ? { ...approval, state: 'expired' } : approval

/** The part of an approval in each of its events. */
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
