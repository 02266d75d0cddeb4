import type { Place } from '../places.ts'
import type { Fields } from '../fields.ts'
import type { SeenCall } from '../seen-call.ts'
import type { StepKind, StepPayloads } from '../step.ts'

/** What a method is read with. */
export interface ReadContext {
  /** The call of a tool under its id, where it is still remembered. */
  readonly earlierCall: (callId: string) => SeenCall['call']
  /** Id of the request itself. */
  readonly requestId: string
}

/** A payload as a step's kind and payload. */
export type AcsSubject = {
  [K in StepKind]: {
    readonly kind: K
    readonly payload: StepPayloads[K]
    /** Where the parts of the step's payload that may change stand in the ACS payload; `undefined`: none may. */
    readonly places: readonly Place[] | undefined
  }
}[StepKind]

/**
 * What may be answered (hooks.md, "Decision"). `any`: all five. `alter`: no `ask` and no `defer`. `refuse`: `allow` or
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

/** A subject that is taken or refused as it is. */
export const fixed = <K extends StepKind>(kind: K, payload: StepPayloads[K]): AcsSubject =>
  subject(kind, payload, undefined)

/** A subject whose member at `from` stands in the ACS payload at `to`, with the same shape. */
export const mapped = <K extends StepKind>(kind: K, payload: StepPayloads[K], from: string, to: string): AcsSubject =>
  subject(kind, payload, [{ as: 'value', payload: from, params: to }])
