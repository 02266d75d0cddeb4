import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thresholdFor } from './calibrate.ts'

test.each([
  { name: 'one of a hundred', scores: Array.from({ length: 100 }, (_, n) => n / 100), share: 0.01, threshold: 0.9801 },
  { name: 'none', scores: [0.2, 0.5], share: 0.01, threshold: 0.5001 },
  { name: 'equal scores stay together', scores: [0.7, 0.7, 0.7, 0.1], share: 0.25, threshold: 0.7001 },
  { name: 'no texts', scores: [], share: 0.01, threshold: 0.0001 },
  { name: 'certainty', scores: [1, 1], share: 0.01, threshold: 1 },
])('$name', ({ scores, share, threshold }) => {
  expect(thresholdFor(scores, share, 0.5).threshold).toBe(threshold)
})

test('never more false alarms than requested, unless texts score 1', () => {
  const score = fc.double({ min: 0, max: 0.9998, noNaN: true })
  fc.assert(
    fc.property(fc.array(score, { maxLength: 200 }), fc.double({ min: 0, max: 1, noNaN: true }), (scores, share) => {
      expect(thresholdFor(scores, share, 0.5).falseAlarms).toBeLessThanOrEqual(share)
    }),
  )
})

test('reports what the current threshold finds', () => {
  expect(thresholdFor([0.2, 0.5, 0.9], 0.01, 0.5).now).toEqual({ threshold: 0.5, finds: 2 })
})
