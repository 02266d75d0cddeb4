import type { Observation } from '../protocol/evidence.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'

/** A call, with the current content of the files that it would run. */
export interface Call {
  readonly step: Step
  /** The targets of its paths and the content of its scripts at analysis: another script is another call. */
  readonly seen: readonly Observation[]
}

/** A call that needs approval: as it would run, after the guard's own edits. */
export interface AskedCall extends Call {
  /** Ids of the rules that ask; a grant covers these and no others. */
  readonly rules: readonly string[]
  /** Ids of the guardians that ask. */
  readonly guardians: readonly string[]
  /** The reason, as shown to the agent. */
  readonly reason: string
  /** The host asks its own person about it. */
  readonly atHost: boolean
}

/** A person's permission for a call. */
export interface Grant {
  readonly id: string
  readonly rules: readonly string[]
  readonly guardians: readonly string[]
  /** Who gave it. */
  readonly by: string
  /** Break-glass: a denied call for which a person takes responsibility. */
  readonly override: boolean
  /** The arguments as the person edited them. */
  readonly input?: JsonObject
  /** The grant has allowed the call already, and this is the host's own permission question about it. */
  readonly taken: boolean
}

/** The state of the approval of a call. */
export type Standing =
  | { readonly state: 'granted'; readonly grant: Grant }
  | { readonly state: 'pending'; readonly id: string; readonly expiresAt: number }
  | { readonly state: 'denied'; readonly id: string; readonly by: string; readonly reason: string }
  /** The session already has the maximum number of pending approvals. */
  | { readonly state: 'full'; readonly limit: number }

/**
 * Stores approvals (port of record/approvals). Every method rejects if the store cannot be read or written: then the
 * call does not run.
 */
export interface Approvals {
  /** The state of a call; a call without an approval is pending from now on. */
  standing(asked: AskedCall): Promise<Standing>
  /** A live override of exactly this call. */
  override(call: Call): Promise<Grant | undefined>
  /** Uses a grant for this call; `false` if it is used up or expired. Resolves once that is in the trace. */
  take(grant: Grant, step: Step): Promise<boolean>
  /** Resolves when a pending approval is answered, at the latest after `ms`, or when the caller stops waiting. */
  answered(id: string, ms: number, gone?: () => boolean): Promise<void>
  /** Reads from a step the results of calls that the host asked its own user about. Never rejects. */
  observe(step: Step): Promise<void> | undefined
  /** Whether anybody can approve by signature: a key is enrolled. */
  canSign(): boolean
  /** Keyed hash of a call: the same for the same call of the same agent in the same session. */
  keyOf(call: Call): string
}
