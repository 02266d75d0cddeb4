import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileText } from '../../../../test/support/hostile-text.ts'
import { createTopicsDetector, faultOfPattern, topicType } from './topics-detector.ts'

const detector = createTopicsDetector([
  { name: 'Medical advice', words: ['dosage', 'side effects', 'C++', 'X-ray (any)'] },
  { name: 'Rivals', words: [], patterns: ['acme(?:corp| inc)?', '(a+)+$'] },
])

const typesOf = (text: string): readonly string[] =>
  detector.detect(text, 'user').map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`)

test.each([
  ['What DOSAGE should I take?', ['medical-advice: DOSAGE']],
  ['any side\n effects?', ['medical-advice: side\n effects']],
  ['an x-ray (any)', ['medical-advice: x-ray (any)']],
  ['overdosages', []],
  ['I like C++.', ['medical-advice: C++']],
  ['AcmeCorp sells it', ['rivals: AcmeCorp']],
  ['nothing of the kind', []],
])('%s', (text, expected) => {
  expect(typesOf(text)).toEqual(expected)
})

test('no topics, no findings', () => {
  expect(createTopicsDetector([]).detect('dosage', 'user')).toEqual([])
})

test('a pattern is checked before it is used', () => {
  expect(faultOfPattern('a(b')).toBeDefined()
  expect(faultOfPattern('(?<=a)b')).toBeDefined()
  expect(faultOfPattern('a(b)?')).toBeUndefined()
})

test('a name becomes a type for rules', () => {
  expect(['Medical advice', ' §! ', 'Ünder 18s'].map(topicType)).toEqual(['medical-advice', 'topic', 'nder-18s'])
})

test('accepts any text; matches are within it, in order and disjoint', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      let from = 0
      for (const { start, end } of detector.detect(text, 'tool')) {
        expect(start).toBeGreaterThanOrEqual(from)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        from = end
      }
    }),
    { numRuns: 1000 },
  )
})
