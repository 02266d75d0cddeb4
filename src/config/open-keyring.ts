import { openKeyring } from '../record/signatures/keyring.ts'
import type { Keyring, KeyringOptions } from '../record/signatures/keyring.ts'
import type { KeyList } from '../record/signatures/key-list.ts'
import { GUARD_SESSION } from '../record/stores/store.ts'
import type { EventStore } from '../record/stores/store.ts'
import { isObject } from '../protocol/json.ts'
import type { JsonObject } from '../protocol/json.ts'

/** What the trace keeps of a list of keys: enough to notice another. */
export const keysSeenBody = ({ head, guard, keys }: KeyList): JsonObject => ({
  head,
  guard,
  keys: keys.map(({ id, name, kind }) => ({ id, name, kind })),
})

/** Head of the list of keys that was seen last, as the guard's own chain tells; `undefined` when none was. */
const lastSeen = async (trace: Pick<EventStore, 'events'>): Promise<string | undefined> => {
  const query = { session: GUARD_SESSION, type: 'KeysSeen', order: 'newest', limit: 1 } as const
  for await (const { body } of trace.events(query)) {
    const { detail } = body
    if (isObject(detail) && typeof detail['head'] === 'string') return detail['head']
  }
  return undefined
}

/** Opens the keys of a guard: a list that does not continue the one that its trace tells is not honoured. */
export const openSeenKeyring = async (
  trace: Pick<EventStore, 'events'>,
  options: Omit<KeyringOptions, 'seen'>,
): Promise<Keyring> => {
  const seen = await lastSeen(trace)
  return openKeyring({ ...options, ...(seen === undefined ? {} : { seen }) })
}
