/** What is known about sessions in addition to their steps. */
export interface SessionFates {
  /** Whether the process of a session is running; `undefined` if unknown. */
  isRunning(session: string): boolean | undefined
  /** Whether something of a session is yet to come that was before now, such as calls of models that are being read. */
  isAwaited(session: string): boolean
}

/** Where nothing is known. */
export const UNKNOWN_FATES: SessionFates = { isRunning: () => undefined, isAwaited: () => false }
