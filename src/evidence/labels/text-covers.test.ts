import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTexts } from './asked-texts.ts'
import type { Texts } from './asked-texts.ts'
import { coversOf, mostCounted, textsWith } from './text-covers.ts'
import type { ActWord } from './text-covers.ts'

const MOST = 12

const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 })
/** More texts than are kept. */
const someTexts = fc
  .oneof(fc.array(numbers, { maxLength: MOST }), fc.array(numbers, { minLength: 2 * MOST, maxLength: 4 * MOST }))
  .map((all): Texts => {
    const texts = createTexts(MOST)
    all.forEach((words, at) => texts.put({ words, source: undefined, at: 2 * at }))
    return texts
  })
const actWords = fc.array(
  fc.record({
    numbers: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 3 }),
    isValue: fc.boolean(),
    isArg: fc.boolean(),
  }),
  { maxLength: 64 },
)

const hasAny = (texts: Texts, number: number, words: readonly number[]): boolean =>
  texts.get(number)?.words.some((word) => words.includes(word)) === true

/** The same by reading every text. */
const coverOf = (texts: Texts, number: number, words: readonly ActWord[], verbs: readonly number[]) => {
  const found = words.filter((word) => hasAny(texts, number, word.numbers))
  return {
    number,
    words: found.length,
    values: found.filter(({ isValue }) => isValue).length,
    args: found.filter(({ isArg }) => isArg).length,
    hasVerb: hasAny(texts, number, verbs),
  }
}

test('what texts have of an act is what reading every text finds', () => {
  fc.assert(
    fc.property(someTexts, actWords, numbers, (texts, words, verbs) => {
      const covers = coversOf(texts, words, verbs)
      const [from, to] = texts.range()
      const all = Array.from({ length: to - from }, (_, slot) => coverOf(texts, from + slot, words, verbs))
      const firstWord = (number: number): number => words.findIndex((word) => hasAny(texts, number, word.numbers))
      expect(covers.toSorted((a, b) => a.number - b.number)).toEqual(all.filter((cover) => cover.words > 0))
      const order = covers.map(({ number }) => firstWord(number))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }),
  )
})

test('texts with any of some words, and those that are found most often', () => {
  fc.assert(
    fc.property(someTexts, numbers, (texts, words) => {
      const [from, to] = texts.range()
      const all = Array.from({ length: to - from }, (_, slot) => from + slot)
      const isFound = textsWith(texts, words)
      expect(all.filter(isFound)).toEqual(all.filter((number) => hasAny(texts, number, words)))
      const counted = mostCounted(texts, (hit) => {
        for (const word of words) for (const text of texts.having(word)) hit(text)
      })
      const countOf = (number: number): number => words.filter((word) => hasAny(texts, number, [word])).length
      expect(counted.map(([text]) => countOf(text))).toEqual(counted.map(([, count]) => count))
      expect(counted.map(([, count]) => count)).toEqual(counted.map(([, count]) => count).toSorted((a, b) => b - a))
      expect(counted.map(([text]) => text).toSorted((a, b) => a - b)).toEqual(all.filter(isFound))
    }),
  )
})

test('the newest text with a word', () => {
  fc.assert(
    fc.property(someTexts, fc.integer({ min: 0, max: 30 }), (texts, word) => {
      const places = [...texts.having(word)].map((number) => texts.get(number)?.at ?? Number.NaN)
      expect(texts.newest(word)).toBe(Math.max(-1, ...places))
    }),
  )
})
