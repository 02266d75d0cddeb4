import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textRanges } from './text-ranges.ts'

const applied = (before: string, after: string): string => {
  let result = ''
  let from = 0
  for (const { start, end, text } of textRanges(before, after)) {
    expect(start).toBeGreaterThanOrEqual(from)
    expect(end).toBeGreaterThanOrEqual(start)
    result += before.slice(from, start) + text
    from = end
  }
  return result + before.slice(from)
}

test.each([
  { name: 'the same', before: 'a b', after: 'a b', ranges: [] },
  {
    name: 'a word',
    before: 'echo hello world',
    after: 'echo HELLO world',
    ranges: [{ start: 5, end: 10, text: 'HELLO' }],
  },
  {
    name: 'two words',
    before: 'call 123, mail x, go',
    after: 'call [n], mail [m], go',
    ranges: [
      { start: 5, end: 8, text: '[n]' },
      { start: 15, end: 16, text: '[m]' },
    ],
  },
  { name: 'something added', before: 'a', after: 'a b', ranges: [{ start: 1, end: 1, text: ' b' }] },
  { name: 'all of it', before: 'a', after: '', ranges: [{ start: 0, end: 1, text: '' }] },
  { name: 'a picture of two units', before: '😀 a', after: '😁 a', ranges: [{ start: 0, end: 2, text: '😁' }] },
])('$name', ({ before, after, ranges }) => {
  expect(textRanges(before, after)).toEqual(ranges)
})

test('the ranges turn one text into the other, for any texts', () => {
  const text = fc.array(fc.constantFrom('a', 'bb', ' ', ',', '\n', '😀', '\ud83d', 'ö', '[x]'), { maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applied(before.join(''), after.join(''))).toBe(after.join(''))
    }),
  )
})

test('texts without common parts are one range, at the same cost', () => {
  const before = Array.from({ length: 4_000 }, (_, index) => `a${index}`).join(' ')
  const after = Array.from({ length: 4_000 }, (_, index) => `b${index}`).join(' ')
  expect(textRanges(before, after)).toEqual([{ start: 0, end: before.length, text: after }])
  const long = 'x '.repeat(500_000)
  expect(textRanges(`${long}a`, `${long}b`)).toEqual([{ start: 1_000_000, end: 1_000_001, text: 'b' }])
})
