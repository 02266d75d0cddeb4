import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../protocol/json.ts'
import { withheld } from './withhold.ts'

/** The same value with every string turned into its type's name: its shape. */
const shape = (value: Json): unknown => {
  if (typeof value === 'string') return 'string'
  if (Array.isArray(value)) return (value as readonly Json[]).map((element) => shape(element))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
  return value
}

describe('withheld', () => {
  test.each<{ name: string; output: Json; expected: Json }>([
    {
      name: 'the text of a file',
      output: { type: 'text', file: { content: 'abc', numLines: 1 } },
      expected: { type: 'text', file: { content: 'N', numLines: 1 } },
    },
    {
      name: 'the mode of a search stays',
      output: { mode: 'files_with_matches', filenames: ['a'] },
      expected: { mode: 'files_with_matches', filenames: ['N'] },
    },
    {
      name: 'text under a fixed name is replaced when it is text',
      output: { status: 'The key is 1234' },
      expected: { status: 'N' },
    },
    { name: 'an empty text stays empty', output: { stderr: '' }, expected: { stderr: '' } },
    { name: 'numbers, null and booleans stay', output: [1, null, true], expected: [1, null, true] },
  ])('$name', ({ output, expected }) => {
    expect(withheld(output, 'N')).toEqual(expected)
  })

  test('the shape stays, and no string longer than a word', () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<Json>, (output) => {
        expect(shape(withheld(output, 'N'))).toEqual(shape(output))
      }),
    )
  })
})
