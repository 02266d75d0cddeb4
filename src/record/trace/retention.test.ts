import { expect, test } from 'vitest'

import { createMemoryStore } from '../stores/memory.ts'
import { applyRetention } from './retention.ts'

const DAY = 86_400_000

test('removes sessions quiet for more than so many days', async () => {
  const store = createMemoryStore()
  for (const day of [0, 5, 10])
    await store.append({ session: `day${day}`, type: 'HookDecision', at: day * DAY, body: {} })
  const removed = await applyRetention(store, { days: 5, now: 10 * DAY })
  expect(removed.map(({ session }) => session)).toEqual(['day0'])
  expect((await store.sessions()).map(({ session }) => session)).toEqual(['day10', 'day5'])
})

test.each([-1, Number.NaN])('refuses %s days', async (days) => {
  await expect(applyRetention(createMemoryStore(), { days, now: 0 })).rejects.toThrow(RangeError)
})
