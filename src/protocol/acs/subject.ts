import type { Place } from '../places.ts'
import type { Fields } from '../fields.ts'
import type { SeenCall } from '../seen-call.ts'
import type { StepKind, StepPayloads } from '../step.ts'

/** What a method is read with. */
export interface ReadContext {
  /** The call with this id, while it is stored. */
  readonly earlierCall: (callId: string) => SeenCall['call']
  /** Id of the request itself. */
  readonly requestId: string
}

/** A payload as a step's kind and payload. */
export type AcsSubject = {
  [K in StepKind]: {
    readonly kind: K
    readonly payload: StepPayloads[K]
    /** Places of the changeable parts of the step's payload in the ACS payload; `undefined`: none may change. */
    readonly places: readonly Place[] | undefined
  }
}[StepKind]

/**
 * The possible answers (hooks.md, "Decision"). `any`: all five. `alter`: no `ask` and no `defer`. `refuse`: `allow` or
 * `deny`. `after`: it has happened, and only its text may still change. `audit`: it is only reported.
 */
export type AcsAnswers = 'any' | 'alter' | 'refuse' | 'after' | 'audit'

/** One method of ACS 0.1.0. */
export interface AcsMethod {
  readonly answers: AcsAnswers
  read(payload: Fields, context: ReadContext): AcsSubject
}

/** A payload with its places. */
export const subject = <K extends StepKind>(
  kind: K,
  payload: StepPayloads[K],
  places: readonly Place[] | undefined,
): AcsSubject => ({ kind, payload, places }) as unknown as AcsSubject

/** A subject that is allowed or refused unchanged. */
export const fixed = <K extends StepKind>(kind: K, payload: StepPayloads[K]): AcsSubject =>
  subject(kind, payload, undefined)

/** A subject whose member at `from` is at `to` in the ACS payload, with the same shape. */
export const mapped = <K extends StepKind>(kind: K, payload: StepPayloads[K], from: string, to: string): AcsSubject =>
  subject(kind, payload, [{ as: 'value', payload: from, params: to }])
