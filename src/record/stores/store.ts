import type { JsonObject } from '../../protocol/json.ts'

/** An event as handed to a store: everything but what the chain adds. */
export interface NewEvent {
  readonly session: string
  /** Event name (DESIGN 7), such as `HookDecision`. */
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Masked already: a store never sees a secret. */
  readonly body: JsonObject
}

/** An event in the chain of its session. */
export interface StoredEvent extends NewEvent {
  /** 1, 2, 3, … within the session, without gaps. */
  readonly seq: number
  /** Hash of the event before it in the session; 64 zeros for the first. */
  readonly prevHash: string
  /** SHA-256, hex, over the RFC 8785 form of every other member. */
  readonly hash: string
}

/** A session as `trace ls` shows it. */
export interface SessionSummary {
  readonly session: string
  readonly events: number
  readonly firstAt: number
  readonly lastAt: number
  readonly headHash: string
}

/** Which events to read. Bounds are inclusive. */
export interface EventQuery {
  readonly session?: string
  readonly type?: string
  readonly fromSeq?: number
  readonly since?: number
  readonly until?: number
  /** At most this many; default 1,000. */
  readonly limit?: number
  /** `newest` first, or in the order of writing (default). */
  readonly order?: 'oldest' | 'newest'
}

/** Keeps the events. One contract, several drivers (test/contracts/store.ts proves each). */
export interface EventStore {
  /**
   * Chains and keeps the event. Resolves once it is durable: a process killed afterwards has not lost it.
   * Rejects with a SallyportError (SP_STORE_*) when it could not be kept; then nothing of it is kept.
   */
  append(event: NewEvent): Promise<StoredEvent>
  events(query: EventQuery): AsyncIterable<StoredEvent>
  sessions(query?: { readonly since?: number; readonly limit?: number }): Promise<readonly SessionSummary[]>
  /** Removes whole sessions whose last event is older than `before` (ms since the epoch); tells which. */
  removeBefore(before: number): Promise<readonly SessionSummary[]>
  /** Writes what is queued and lets go of everything. Appends after this reject. */
  close(): Promise<void>
}
