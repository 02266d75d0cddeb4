import type { ProcessRef } from '../../processes/processes.ts'

/** Whose a session is: the host whose events it is made of, and the process that they have to come from. */
export interface Claim {
  readonly session: string
  readonly host: string
  /** Absent where the system does not show it. */
  readonly process?: ProcessRef
  /** The host sends all its events by programs that it starts, so those of any child count. */
  readonly loose: boolean
  /** Another session's client began the process: what is said in it are an agent's words, and no person's. */
  readonly nested: boolean
  /** The process said that the session is over: another one may go on with it. */
  readonly ended: boolean
}

/** Keeps claims beyond the guard's own end. Each call has kept what it says when it returns. */
export interface ClaimStore {
  get(session: string): Claim | undefined
  put(claim: Claim, at: number): void
  /** Whether any session is this process's. */
  isClaimant(process: ProcessRef): boolean
  close(): void
}
