import type { Observation } from '../protocol/evidence.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'

/** A call, with what it would run as it lies on the machine now. */
export interface Call {
  readonly step: Step
  /** Where its paths lead and what its scripts hold, as the analysis saw it: another script is another call. */
  readonly seen: readonly Observation[]
}

/** A call that somebody has to agree to: as it would run, after the guard's own edits. */
export interface AskedCall extends Call {
  /** Ids of the rules that ask; a grant covers these and no others. */
  readonly rules: readonly string[]
  /** Ids of the guardians that ask. */
  readonly guardians: readonly string[]
  /** Why, as the agent is told. */
  readonly reason: string
  /** The host asks its own person about it. */
  readonly atHost: boolean
}

/** A person's word that a call may run. */
export interface Grant {
  readonly id: string
  readonly rules: readonly string[]
  readonly guardians: readonly string[]
  /** Who gave it. */
  readonly by: string
  /** Break-glass: a call that was denied, and that a person takes upon themselves. */
  readonly override: boolean
  /** The arguments as the person edited them. */
  readonly input?: JsonObject
  /** The call has been let through by it already, and this is the host's own permission question about it. */
  readonly taken: boolean
}

/** How a call stands with its approval. */
export type Standing =
  | { readonly state: 'granted'; readonly grant: Grant }
  | { readonly state: 'pending'; readonly id: string; readonly expiresAt: number }
  | { readonly state: 'denied'; readonly id: string; readonly by: string; readonly reason: string }
  /** The session waits for so many answers already that nobody would read another. */
  | { readonly state: 'full'; readonly limit: number }

/**
 * Where approvals are kept (port of record/approvals). Everything rejects when it cannot be read or written: then the
 * call does not run.
 */
export interface Approvals {
  /** How the call stands; one that nobody was asked about yet is pending from now on. */
  standing(asked: AskedCall): Promise<Standing>
  /** A live override of this very call. */
  override(call: Call): Promise<Grant | undefined>
  /** Uses a grant for this call; `false` when it is used up or over. Resolves once that stands in the trace. */
  take(grant: Grant, step: Step): Promise<boolean>
  /** Resolves when a pending approval is answered, at the latest after `ms`, or when nobody waits for that any more. */
  answered(id: string, ms: number, gone?: () => boolean): Promise<void>
  /** Learns from a step what became of calls that the host asked its own person about. Never rejects. */
  observe(step: Step): Promise<void> | undefined
  /** Whether anybody can approve by signature: a key is enrolled. */
  canSign(): boolean
  /** Keyed hash of a call: the same for the same call of the same agent in the same session. */
  keyOf(call: Call): string
}
