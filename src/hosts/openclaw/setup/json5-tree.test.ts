import fc from 'fast-check'
import { findNodeAtLocation, getNodeValue } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { readJson5 } from './json5-tree.ts'

const read = (text: string): unknown => getNodeValue(readJson5('f', text))

describe('JSON5', () => {
  test.each([
    { name: 'bare names', text: '{a: 1, $b_2: 2, \\u0063: 3, é: 4}', value: { a: 1, $b_2: 2, c: 3, é: 4 } },
    { name: 'single quotes', text: `{'a': 'it\\'s "x"'}`, value: { a: `it's "x"` } },
    { name: 'a text over lines', text: `'a\\\nb\\\r\nc'`, value: 'abc' },
    { name: 'escapes', text: String.raw`"\x41B\n\v\0\q\\u"`, value: 'AB\n\v\0q\\u' },
    { name: 'trailing commas', text: '[1, {a: [],},]', value: [1, { a: [] }] },
    { name: 'numbers', text: '[.5, 5., +1, -0x1F, 1e3, Infinity]', value: [0.5, 5, 1, -31, 1000, Infinity] },
    { name: 'remarks', text: '/* a */ [ // b\n 1 /* c */, 2 ] // d', value: [1, 2] },
    { name: 'a byte order mark', text: '\uFEFF{}', value: {} },
  ])('$name', ({ text, value }) => {
    expect(read(text)).toEqual(value)
  })

  test.each([
    { name: 'nothing', text: '', message: /^f:1:1: a value is missing/ },
    { name: 'two values', text: '{} {}', message: /^f:1:4: there is text after/ },
    { name: 'no comma', text: '[1\n2]', message: /^f:2:1: a comma or ] is missing/ },
    { name: 'no colon', text: '{a 1}', message: /a colon is missing/ },
    { name: 'a comma alone', text: '[,]', message: /a value is missing/ },
    { name: 'a comment without end', text: '{} /* a', message: /text after/ },
    { name: 'a text without end', text: '"a', message: /a value is missing/ },
    { name: 'a line end in a text', text: '"a\nb"', message: /a value is missing/ },
    { name: 'an octal', text: '"\\1"', message: /an unknown escape/ },
    { name: 'a number with a leading zero', text: '01', message: /goes on|a value is missing/ },
    { name: 'far too deep', text: '['.repeat(100_000), message: /nested too deeply/ },
  ])('$name is refused with its position', ({ text, message }) => {
    expect(() => read(text)).toThrow(message)
  })

  test('any JSON reads the same, and every node is at the position of its text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify({ a: value }, null, indent)
        const root = readJson5('f', text)
        expect(JSON.stringify(getNodeValue(root))).toBe(JSON.stringify({ a: value }))
        const node = findNodeAtLocation(root, ['a'])
        expect(JSON.parse(text.slice(node?.offset, (node?.offset ?? 0) + (node?.length ?? 0)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
      { numRuns: 200 },
    )
  })
})
