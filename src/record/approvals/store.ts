import type { Signed } from '../signatures/signed.ts'
import type { AcceptStatement } from '../signatures/statement.ts'
import type { Approval, ApprovalEvent, ApprovalState, DisabledRule } from './approval.ts'

/** An event that has to go into the trace yet. */
export interface UnsentEvent extends ApprovalEvent {
  readonly n: number
}

/** Which approvals to list; newest first. */
export interface ApprovalQuery {
  readonly states?: readonly ApprovalState[]
  readonly session?: string
  /** The beginning of their ids. */
  readonly idFrom?: string
  /** Only those whose time is not over then; milliseconds since the epoch. */
  readonly openAt?: number
  /** Default 1,000. */
  readonly limit?: number
}

/** What can be read at any time. */
export interface ApprovalReads {
  get(id: string): Approval | undefined
  /** Approvals of one call, newest first, at most 100. */
  ofCall(digest: string): readonly Approval[]
  list(query?: ApprovalQuery): readonly Approval[]
  /** How many there are, whatever the query's limit. */
  count(query?: ApprovalQuery): number
  /** Pending and granted ones whose time was over at `now`, at most 1,000. */
  over(now: number): readonly Approval[]
  disabledRules(): readonly DisabledRule[]
  /** What was accepted by signature, in the order it was kept; the newest 10,000. Unverified, as all that is read here. */
  acceptances(): readonly Signed<AcceptStatement>[]
}

/** What can be done while nobody else writes. */
export interface ApprovalWrites extends ApprovalReads {
  /** Keeps an approval, new or changed. */
  put(approval: Approval): void
  /** Keeps an event for the trace, together with the change that it tells of. */
  note(event: ApprovalEvent): void
  setDisabled(rule: DisabledRule): void
  removeDisabled(rule: string): void
  accept(signed: Signed<AcceptStatement>): void
}

/**
 * Keeps approvals (test/contracts/approval-store.ts proves each driver). Everything throws when it cannot be read or kept.
 */
export interface ApprovalStore extends ApprovalReads {
  /** Key of the calls' hashes, 32 random bytes, made with the store and the same for its life. */
  readonly key: Uint8Array
  /** Runs `work` while nobody else, in any process, writes; all its changes are kept for good when this returns, or none. */
  transact<T>(work: (writes: ApprovalWrites) => T): T
  /**
   * Events that this store's own transactions left, in order; with `before` also those that another process noted earlier
   * and has not sent: it may have been killed.
   */
  unsent(before?: number): readonly UnsentEvent[]
  /** They stand in the trace. */
  sent(events: readonly UnsentEvent[]): void
  /** Forgets settled approvals that ended before a time. */
  removeBefore(time: number): void
  close(): void
}
