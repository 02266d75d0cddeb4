import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../protocol/json.ts'
import { spliced } from './splice.ts'

const TEXT = '{ "b":1.50, "a":[ {"text":"x\\u0041"}, "y" ],"é/~":null,"0":{"1":"one"} }'

test.each([
  {
    name: 'a text',
    changes: [['/a/0/text', 'z"']],
    result: '{ "b":1.50, "a":[ {"text":"z\\""}, "y" ],"é/~":null,"0":{"1":"one"} }',
  },
  {
    name: 'two places, in any order',
    changes: [
      ['/0/1', 'two'],
      ['/a/1', 3],
    ],
    result: '{ "b":1.50, "a":[ {"text":"x\\u0041"}, 3 ],"é/~":null,"0":{"1":"two"} }',
  },
  {
    name: 'a name with the signs of pointers',
    changes: [['/é~1~0', {}]],
    result: '{ "b":1.50, "a":[ {"text":"x\\u0041"}, "y" ],"é/~":{},"0":{"1":"one"} }',
  },
  { name: 'a place that is not there', changes: [['/c', 1]], result: undefined },
  {
    name: 'a place inside another',
    changes: [
      ['/a', []],
      ['/a/1', 1],
    ],
    result: undefined,
  },
] as const)('splices $name, and keeps every other byte', ({ changes, result }) => {
  expect(spliced(TEXT, JSON.parse(TEXT) as Json, changes)).toBe(result)
})

test('any value at any place of any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 1 }), fc.nat(3), (value, instead, space) => {
      const root = { at: value } as unknown as Json
      const text = spliced(JSON.stringify(root, null, space), root, [['/at', instead as Json]])
      expect(JSON.parse(text ?? '')).toEqual(JSON.parse(JSON.stringify({ at: instead })))
    }),
  )
})
