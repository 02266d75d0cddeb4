import { expect, test } from 'vitest'
import { createWithheldTexts } from './withheld-texts.ts'

const INSTEAD = '[withheld by Sallyport]'
const LONG = 'a sentence that is withheld'

test.each([
  { name: 'within another text', texts: [LONG], text: `so: ${LONG}. ${LONG}`, rest: `so: ${INSTEAD}. ${INSTEAD}` },
  { name: 'alone', texts: [LONG], text: LONG, rest: INSTEAD },
  { name: 'short ones by themselves', texts: ['yes'], text: 'yes', rest: INSTEAD },
  { name: 'but not within another text', texts: ['yes'], text: 'oh yes', rest: 'oh yes' },
  {
    name: 'several',
    texts: [LONG, 'another long sentence'],
    text: `${LONG}, another long sentence`,
    rest: `${INSTEAD}, ${INSTEAD}`,
  },
  { name: 'the empty text is ignored', texts: [''], text: '', rest: '' },
  {
    name: 'signs of a pattern are signs',
    texts: ['.*.*.*.*.*.*.*'],
    text: 'everything here',
    rest: 'everything here',
  },
  { name: 'what is not withheld stays', texts: [LONG], text: 'a sentence', rest: 'a sentence' },
])('$name', ({ texts, text, rest }) => {
  const withheld = createWithheldTexts()
  for (const one of texts) withheld.add(one)
  expect(withheld.redact(text)).toBe(rest)
})

test('a text that was allowed after all may be repeated', () => {
  const withheld = createWithheldTexts()
  withheld.add(LONG)
  withheld.remove(LONG)
  expect(withheld.redact(LONG)).toBe(LONG)
})

test('of too many, the oldest go; what is withheld anew is new', () => {
  const withheld = createWithheldTexts()
  const nth = (n: number): string => `sentence number ${n}.`
  for (let n = 0; n < 500; n++) withheld.add(nth(n))
  withheld.add(nth(0))
  withheld.add(nth(500))
  expect([0, 1, 2].map((n) => withheld.redact(nth(n)))).toEqual([INSTEAD, nth(1), INSTEAD])
})

test('what was withheld is the same answer for a minute, and another one after that or once it was lifted', () => {
  let now = 0
  const withheld = createWithheldTexts(() => now)
  withheld.add('It is so.')
  expect([withheld.isRecent('It is so.'), withheld.isRecent('It is not so.')]).toEqual([true, false])
  now = 60_000
  expect(withheld.isRecent('It is so.')).toBe(false)
  withheld.add('It is so.')
  withheld.remove('It is so.')
  expect(withheld.isRecent('It is so.')).toBe(false)
})
