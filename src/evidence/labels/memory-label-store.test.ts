import { expect, test } from 'vitest'
import { labelStoreContract } from '../../../test/contracts/label-store.ts'
import { GUARD_OWNER } from './label-store.ts'
import { createMemoryLabelStore, emptyTables } from './memory-label-store.ts'

labelStoreContract('the label store in memory', () => {
  const shelves = emptyTables()
  return {
    open: (limits) => createMemoryLabelStore(limits, shelves),
    spoil: (owner) => {
      shelves.kept.set(owner, { texts: ['[0,{"fact":"of another version"}]'], size: 1 })
    },
    discard: () => undefined,
  }
})

test('one that keeps nobody still knows whom it has forgotten', async () => {
  const store = createMemoryLabelStore({ owners: 0 })
  await store.put([{ owner: 'a', how: 'add', facts: [] }])
  await store.put([{ owner: GUARD_OWNER, how: 'add', facts: [] }])
  expect([store.get('a').outcome, store.get('b').outcome, store.get(GUARD_OWNER).outcome]).toEqual([
    'forgotten',
    'none',
    'none',
  ])
})
