import type { ProcessRef } from '../../processes/processes.ts'

/** The owner of a session: its host, and the process that its events have to come from. */
export interface Claim {
  readonly session: string
  readonly host: string
  /** Absent where the system does not show it. */
  readonly process?: ProcessRef
  /** The host uses programs for all its events, so those of any child are accepted. */
  readonly loose: boolean
  /** Another session's client started the process: prompts in it count as an agent's, not a person's. */
  readonly nested: boolean
  /** The process ended the session: another one may continue it. */
  readonly ended: boolean
}

/** Stores claims beyond the guard's own end. Each call is durable when it returns. */
export interface ClaimStore {
  get(session: string): Claim | undefined
  put(claim: Claim, at: number): void
  /** Whether this process owns any session. */
  isClaimant(process: ProcessRef): boolean
  close(): void
}
