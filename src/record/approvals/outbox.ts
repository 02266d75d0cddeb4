import type { ApprovalEvent } from './approval.ts'
import type { ApprovalStore } from './store.ts'

/** Puts events into the trace; resolves when they are durable there. */
export type RecordApproval = (event: ApprovalEvent) => Promise<unknown>

/**
 * Carries events from the approvals' own file into the trace, so that no change of an approval goes untold. One for each
 * open store: two would each send what the other is about to.
 */
export interface Outbox {
  /** Resolves when all that this process noted stands in the trace. Rejects when some of it does not. */
  send(): Promise<void>
  /** The same for what a process that was killed has left. */
  sendLeft(now: number): Promise<void>
}

/** Milliseconds after which the events of another process count as left behind. */
const LEFT_AFTER = 10_000

/**
 * Makes an outbox. An event is forgotten here once it stands in the trace, so one that was being sent when the process was
 * killed may stand there twice, and never not at all.
 */
export const createOutbox = (store: ApprovalStore, record: RecordApproval): Outbox => {
  let last: Promise<void> = Promise.resolve()
  const sendAll = async (before?: number): Promise<void> => {
    for (let events = store.unsent(before); events.length > 0; events = store.unsent(before))
      for (const event of events) {
        const { n: _n, ...told } = event
        await record(told)
        store.sent([event])
      }
  }
  // One after the other: two at once would send the same events.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work, work)
    return last
  }
  return Object.freeze<Outbox>({
    send: () => inTurn(() => sendAll()),
    sendLeft: (now) => inTurn(() => sendAll(now - LEFT_AFTER)),
  })
}
