import { expect, test } from 'vitest'
import { createWithheld } from './withheld-texts.ts'

const INSTEAD = '[withheld by Sallyport]'
const LONG = 'a sentence that is barred'

test.each([
  { name: 'within another text', barred: [LONG], text: `so: ${LONG}. ${LONG}`, rest: `so: ${INSTEAD}. ${INSTEAD}` },
  { name: 'by itself', barred: [LONG], text: LONG, rest: INSTEAD },
  { name: 'short ones by themselves', barred: ['yes'], text: 'yes', rest: INSTEAD },
  { name: 'but not within another text', barred: ['yes'], text: 'oh yes', rest: 'oh yes' },
  {
    name: 'several',
    barred: [LONG, 'another long sentence'],
    text: `${LONG}, another long sentence`,
    rest: `${INSTEAD}, ${INSTEAD}`,
  },
  { name: 'the empty text is none', barred: [''], text: '', rest: '' },
  {
    name: 'signs of a pattern are signs',
    barred: ['.*.*.*.*.*.*.*'],
    text: 'everything here',
    rest: 'everything here',
  },
  { name: 'what is not barred stays', barred: [LONG], text: 'a sentence', rest: 'a sentence' },
])('$name', ({ barred, text, rest }) => {
  const withheld = createWithheld()
  for (const one of barred) withheld.bar(one)
  expect(withheld.scrub(text)).toBe(rest)
})

test('what was let through after all may be said again', () => {
  const withheld = createWithheld()
  withheld.bar(LONG)
  withheld.lift(LONG)
  expect(withheld.scrub(LONG)).toBe(LONG)
})

test('of too many, the oldest go; what is barred anew is new', () => {
  const withheld = createWithheld()
  const nth = (n: number): string => `sentence number ${n}.`
  for (let n = 0; n < 500; n++) withheld.bar(nth(n))
  withheld.bar(nth(0))
  withheld.bar(nth(500))
  expect([0, 1, 2].map((n) => withheld.scrub(nth(n)))).toEqual([INSTEAD, nth(1), INSTEAD])
})

test('what was barred is the same answer for a minute, and another one after that or once it was lifted', () => {
  let now = 0
  const withheld = createWithheld(() => now)
  withheld.bar('It is so.')
  expect([withheld.holds('It is so.'), withheld.holds('It is not so.')]).toEqual([true, false])
  now = 60_000
  expect(withheld.holds('It is so.')).toBe(false)
  withheld.bar('It is so.')
  withheld.lift('It is so.')
  expect(withheld.holds('It is so.')).toBe(false)
})
