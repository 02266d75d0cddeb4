import type { Change } from './watched.ts'

/** A state of a file or folder that counts as accepted. */
export interface AcceptedState {
  readonly sha256: string | null
  /** Text of the file, or the list of the folder's files. */
  readonly text?: string
}

/** Keeps what has been accepted and which changes are open, beyond the end of a guard. */
export interface AcceptedStates {
  accepted(path: string): AcceptedState | undefined
  accept(path: string, state: AcceptedState): void
  /** Every path with a stored state. */
  paths(): readonly string[]
  open(path: string): Change | undefined
  setOpen(path: string, change: Change | undefined): void
  /** Every open change. */
  allOpen(): readonly Change[]
  /** Notes that a call was refused. */
  setRefused(session: string, call: string): void
  isRefused(session: string, call: string): boolean
  root(session: string): string | undefined
  setRoot(session: string, root: string): void
}
