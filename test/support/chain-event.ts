import type { ChainEnd } from '../../src/record/chain/chain.ts'
import { chainRow } from '../../src/record/chain/chain.ts'
import type { NewEvent, StoredEvent } from '../../src/record/chain/event.ts'
import { canonicalJson } from '../../src/protocol/canonical-json.ts'

/** The event in its chain, after `prev`; without `prev` the first of its session. */
export const chainEvent = (prev: ChainEnd | undefined, event: NewEvent): StoredEvent => {
  const { seq, prevHash, hash } = chainRow(prev, event, canonicalJson(event.body))
  return { ...event, seq, prevHash, hash }
}
