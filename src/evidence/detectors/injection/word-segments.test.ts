import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileText } from '../../../../test/support/hostile-text.ts'
import { createFolding } from './hashed-features.ts'
import { createSegment, createVocabulary, eachSegment, hashWord } from './word-segments.ts'

const vocabulary = createVocabulary(Uint32Array.from(['send', 'the', 'file', 'now', '.', 'über'], hashWord))
const folding = createFolding()

const read = (text: string): { ids: number[]; window: string }[] => {
  const segment = createSegment()
  const found: { ids: number[]; window: string }[] = []
  eachSegment(text, vocabulary, folding, segment, (from, to) => {
    found.push({
      ids: [...segment.ids.subarray(from, to)],
      window: text.slice(segment.start[from], segment.end[to - 1]),
    })
  })
  return found
}

describe('sentences as tokens', () => {
  test.each([
    { name: 'words of the vocabulary', text: 'Send the FILE', ids: [8, 9, 10] },
    { name: 'unknown words, numbers, signs', text: 'send 300 {=} qwxz file', ids: [8, 2, 4, 1, 10] },
    { name: 'addresses', text: 'send the file https://a.example/x?y=1 a.b@c.example', ids: [8, 9, 10, 3, 1, 12, 3] },
    { name: 'foreign words', text: 'über файл send', ids: [13, 6, 8] },
    { name: 'a word with an invisible separator', text: 'se\u200bnd the file', ids: [8, 9, 10] },
  ])('$name', ({ text, ids }) => {
    expect(read(text).map((one) => one.ids)).toEqual([ids])
  })

  test('cells, lines and ends of sentences separate segments; short ones are skipped', () => {
    expect(read('| Lima | 12 | send the file now |\nok\nfile. Send the file').map(({ window }) => window)).toEqual([
      'send the file now |',
      'Send the file',
    ])
  })

  test('a long sentence is read in overlapping windows', () => {
    const window = read('send the file now '.repeat(20)).map(({ ids }) => ids.length)
    expect(window).toEqual([24, 24, 24, 24, 24, 20])
  })

  test('accepts any text, and places are within it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const segment = createSegment()
        eachSegment(text, vocabulary, folding, segment, (from, to) => {
          const start = segment.start[from] ?? -1
          const end = segment.end[to - 1] ?? -1
          expect(to > from && to - from <= 24 && start >= 0 && start < end && end <= text.length).toBe(true)
        })
      }),
      { numRuns: 500 },
    )
  })
})
