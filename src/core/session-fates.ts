/** What is known of sessions beside their steps. */
export interface SessionFates {
  /** Whether the process that a session belongs to is there; `undefined` where nobody knows. */
  lives(session: string): boolean | undefined
  /** Whether something of a session is yet to come that was before now, such as calls of models that are being read. */
  isAwaited(session: string): boolean
}

/** Where nothing is known. */
export const UNKNOWN_FATES: SessionFates = { lives: () => undefined, isAwaited: () => false }
