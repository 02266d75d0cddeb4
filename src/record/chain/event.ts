import type { JsonObject } from '../../protocol/json.ts'

/** An event as handed to a store: everything but what the chain adds. */
export interface NewEvent {
  readonly session: string
  /** Event name, such as `HookDecision`. */
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
