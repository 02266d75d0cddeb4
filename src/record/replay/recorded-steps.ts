import type { StoredEvent } from '../stores/store.ts'
import { isWhole, readDecision } from './recorded-decision.ts'
import type { RecordedDecision } from './recorded-decision.ts'

/** A HookDecision of a session, in the order of writing. */
export interface RecordedStep {
  readonly event: StoredEvent
  /** Absent if the record contains too little of it. */
  readonly recorded?: RecordedDecision
  /** Whether all of the session's earlier steps are recorded unchanged, so that its memory can be rebuilt. */
  readonly complete: boolean
}

/** The decisions among the events of one session, from its first on. */
export async function* recordedSteps(events: AsyncIterable<StoredEvent>): AsyncGenerator<RecordedStep> {
  let complete = true
  for await (const event of events) {
    if (event.type !== 'HookDecision') continue
    const recorded = readDecision(event)
    yield { event, complete, ...(recorded === undefined ? {} : { recorded }) }
    complete &&= recorded !== undefined && isWhole(recorded)
  }
}
