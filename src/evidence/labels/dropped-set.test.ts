import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDigest } from './digest.ts'
import { createDroppedSet } from './dropped-set.ts'

const digest = createDigest(new Uint8Array(32))

test('law: whatever was added is known, also from the bits', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const set = createDroppedSet()
      for (const text of texts) set.add(digest(text))
      const again = createDroppedSet()
      again.restore(set.bits())
      expect(texts.every((text) => set.has(digest(text)) && again.has(digest(text)))).toBe(true)
      expect(again.used).toBe(texts.length > 0)
    }),
  )
})

test('of 50,000 that were added, few others are taken for one', () => {
  const set = createDroppedSet()
  for (let number = 0; number < 50_000; number++) set.add(digest(`in ${number}`))
  let taken = 0
  for (let number = 0; number < 5_000; number++) if (set.has(digest(`out ${number}`))) taken++
  expect(taken).toBeLessThan(150)
})
