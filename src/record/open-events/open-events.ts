/** An event that was created at a scanner elsewhere. Holds no text of anybody's. */
export interface OpenEvent {
  readonly session: string
  /** What it stands for in the session, such as one call. */
  readonly key: string
  /** The scanner's word for its kind. */
  readonly type: string
  /** The scanner's id of it. */
  readonly eventId: string
  /** Hash of the step and of what was sent of it. */
  readonly digest: string
  /** What the scanner said of it, in its own words. */
  readonly result: string
  readonly reason?: string
}

/** A session that events were created in. */
export interface EventSession {
  readonly session: string
  /** Milliseconds since the epoch at which it ended; absent: it was not seen to. */
  readonly endedAt?: number
}

/** Keeps what is open at a scanner elsewhere, beyond the guard's own end. Each call has kept what it says when it returns. */
export interface OpenEvents {
  /** Whether an event of the session was created before. */
  isBegun(session: string): boolean
  get(session: string, key: string): OpenEvent | undefined
  /** An event was created. */
  opened(event: OpenEvent, at: number): void
  /** It is closed; with `kept` it can still be told of again. */
  closed(session: string, key: string, kept?: boolean): void
  /** Those of a session that are not closed, oldest first. */
  open(session: string): readonly OpenEvent[]
  ended(session: string, at: number): void
  /** All of a session is closed. */
  forget(session: string): void
  /** Sessions that ended, and those that nothing has come of since `quietSince`. */
  left(quietSince: number): readonly EventSession[]
  close(): void
}
