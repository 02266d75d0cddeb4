import { isObject } from '../../protocol/json.ts'
import type { EventStore } from '../stores/store.ts'
import { chainOf } from '../trace/recorder.ts'

/** Events that are read at once. */
const PAGE = 500
/** What is made of transcripts. Other notices have ids that none of these has. */
const SUBJECTS: ReadonlySet<unknown> = new Set(['ModelCallStarted', 'ModelCallCompleted', 'NoticeReceived'])

/** Ids of the steps made of transcripts that the trace of a session holds already. */
export const recordedSteps = async (
  store: Pick<EventStore, 'events'>,
  session: string,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  for (let fromSeq = 1, more = true; more;) {
    more = false
    for await (const { seq, body } of store.events({ session: chainOf(session), fromSeq, limit: PAGE })) {
      more = true
      fromSeq = seq + 1
      const envelope: unknown = body['envelope']
      if (!SUBJECTS.has(body['subject']) || !isObject(envelope)) continue
      if (typeof envelope['stepId'] === 'string') ids.add(envelope['stepId'])
    }
  }
  return ids
}
