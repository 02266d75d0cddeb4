import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Json } from './json.ts'
import { canonicalJson } from './canonical-json.ts'

const shuffled = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, shuffled(member)]),
  )
}

const anyJson = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<Json>

const NAN = Number.NaN
describe('canonicalJson', () => {
  const cases: readonly { readonly name: string; readonly value: Json; readonly text: string }[] = [
    { name: 'sorts members', value: { b: 1, a: 2 }, text: '{"a":2,"b":1}' },
    { name: 'sorts at every depth', value: [{ z: { d: 1, c: 2 } }], text: '[{"z":{"c":2,"d":1}}]' },
    { name: 'sorts names that look like numbers as text', value: { 10: 1, 9: 2, a: 3 }, text: '{"10":1,"9":2,"a":3}' },
    {
      name: 'sorts by UTF-16 code units, not code points (RFC 8785 3.2.3)',
      value: { '\u{1F600}': 1, '\uFB33': 2 },
      text: '{"\u{1F600}":1,"\uFB33":2}',
    },
    {
      name: 'writes numbers as ECMAScript does (RFC 8785 3.2.2.3)',
      value: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0],
      text: '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    },
    {
      name: 'escapes what must be escaped and nothing else (RFC 8785 3.2.2.2)',
      value: '\u20ac$\u000F\nA\'B"\\/\u0000\u007f',
      text: '"\u20ac$\\u000f\\nA\'B\\"\\\\/\\u0000\u007f"',
    },
    { name: 'writes a lone surrogate as its escape', value: { '\udc00': '\ud800x' }, text: '{"\\udc00":"\\ud800x"}' },
    { name: 'writes what JSON has no number for as null', value: [NAN, Infinity], text: '[null,null]' },
    { name: 'leaves out undefined members', value: { a: undefined } as never, text: '{}' },
    { name: 'keeps a member named __proto__', value: JSON.parse('{"__proto__":1}') as Json, text: '{"__proto__":1}' },
    { name: 'writes scalars', value: null, text: 'null' },
  ]
  test.each(cases)('$name', ({ value, text }) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test('does not overflow at 10,000 levels', () => {
    const text = '{"a":['.repeat(5_000) + ']}'.repeat(5_000)
    expect(canonicalJson(JSON.parse(text) as Json)).toBe(text)
  })

  test('law: the order of members does not matter', () => {
    fc.assert(fc.property(anyJson, (value) => canonicalJson(shuffled(value)) === canonicalJson(value)))
  })

  test('law: reading it back and writing it again changes nothing', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
