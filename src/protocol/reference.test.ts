import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minuteOf, readReference, referenceOf } from './reference.ts'

const AT = Date.UTC(2026, 10, 23, 4, 30, 12)
const ROUND_MS = 26 ** 4 * 60_000

test('a reference leads to the minute of its decision for ten months', () => {
  fc.assert(
    fc.property(fc.nat({ max: 4e12 }), fc.nat({ max: ROUND_MS - 60_000 }), fc.string(), (at, later, seed) => {
      const { since, until } = minuteOf(referenceOf(at, seed), at + later)
      expect([since <= at, at <= until, until - since]).toEqual([true, true, 59_999])
    }),
  )
})

test('it is read however a person writes it', () => {
  const reference = referenceOf(AT, 'seed')
  expect(reference).toMatch(/^[25-9B-Z]{4}-[25-9B-Z]{4}$/)
  for (const written of [reference, reference.toLowerCase(), reference.replace('-', ''), ` ${reference} `])
    expect(readReference(written)).toBe(reference)
})

test.each(['', 'last', 'guard', '7F2K-9QW', '7F2K-9QWMB', '7F2K_9QWM', '7F3K-9QWM', '7FAK-9QWM', 'a session'])(
  '%j is invalid',
  (text) => {
    expect(readReference(text)).toBeUndefined()
  },
)

test('two decisions of a minute have two references', () => {
  const given = new Set(Array.from({ length: 500 }, (_, index) => referenceOf(AT, `step ${index}`)))
  expect(given.size).toBeGreaterThan(496)
})
