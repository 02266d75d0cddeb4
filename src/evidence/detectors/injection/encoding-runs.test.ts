import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANYTHING, glanceAt } from '../text/glance.ts'
import { runsOf } from './encoding-runs.ts'

const placesOf = (text: string, pattern: RegExp): readonly (readonly [number, number])[] =>
  [...text.matchAll(pattern)].map(({ index, 0: run }) => [index, index + run.length])

test('finds each long run, wherever it lies between others', () => {
  const run = fc.tuple(fc.constantFrom('a', '7', '.', ' ', '\\', 'é'), fc.integer({ min: 1, max: 50 }))
  fc.assert(
    fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
      const text = runs.map(([char, count]) => char.repeat(count)).join('')
      const { base64, hex } = runsOf(text, glanceAt(text))
      expect(base64.map(({ start, end }) => [start, end])).toEqual(placesOf(text, /[A-Za-z0-9+/_-]{24,}/g))
      const bytes = placesOf(text, /[0-9A-Fa-fx\\% ,:]{32,}/g).map(([start, end]) => end - start)
      expect(hex).toBe(Math.max(0, ...bytes))
    }),
  )
})

test.each([
  ['a b c d', 4],
  ['ab c d ef g', 2],
  ['a-b, 1.', 3],
  ['no single', 0],
  ['', 0],
])('the longest run of single characters in %j is %i', (text, singles) => {
  expect(runsOf(text, ANYTHING).singles).toBe(singles)
})
