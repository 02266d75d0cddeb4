import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text), 20)

describe('a body of JSON', () => {
  test('is parsed, for any value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parse(text)).toEqual({ outcome: 'parsed', value: JSON.parse(text) as unknown })
      }),
    )
  })

  test.each([
    { name: 'nothing', body: Buffer.alloc(0), code: 'SP_INPUT_NOT_JSON' },
    {
      name: 'bytes that are not UTF-8',
      body: Buffer.from('{"a":"hunter2\u00ff"}', 'latin1'),
      code: 'SP_INPUT_NOT_JSON',
    },
    { name: 'a byte order mark', body: Buffer.from('\ufeff{}'), code: 'SP_INPUT_NOT_JSON' },
    { name: 'a level too many', body: Buffer.from('['.repeat(21) + ']'.repeat(21)), code: 'SP_INPUT_TOO_DEEP' },
    { name: 'levels without an end', body: Buffer.from('{"a":'.repeat(90_000)), code: 'SP_INPUT_TOO_DEEP' },
    { name: 'no value', body: Buffer.from('{"a":hunter2}'), code: 'SP_INPUT_NOT_JSON' },
  ])('is refused without quoting it: $name', ({ body, code }) => {
    const refused = parseJsonBody(body, 20)
    expect(refused).toMatchObject({ outcome: 'refused', code })
    expect(JSON.stringify(refused)).not.toContain('hunter2')
  })

  test('may nest up to the limit', () => {
    expect(parse('['.repeat(20) + ']'.repeat(20)).outcome).toBe('parsed')
    expect(parse(`["${'['.repeat(50)}"]`).outcome).toBe('parsed')
  })

  test.each([
    { name: 'at the top', text: '{"decision":"deny","decision":"allow"}' },
    { name: 'deep inside', text: '[{"a":[1,{"b":{},"c":2,"b":{}}]}]' },
    { name: 'in two spellings', text: '{"method":1,"\\u006dethod":2}' },
    { name: '__proto__', text: '{"__proto__":{"a":1},"__proto__":{"a":2}}' },
    { name: 'the first with members of its own', text: '{"a":{"b":1,"c":2},"a":3}' },
    { name: 'the second with members of its own', text: '{"a":3,"a":{"b":1,"c":2}}' },
  ])('with two members of one name is ambiguous and refused: $name', ({ text }) => {
    expect(parse(text)).toMatchObject({ outcome: 'refused', code: 'SP_INPUT_NOT_JSON' })
  })

  test.each([
    { name: 'of two objects', text: '[{"a":1},{"a":1},{"b":{"a":1}}]' },
    { name: 'in a text', text: '{"a":"\\"a\\":1,\\\\","b":"{\\"a\\":2}"}' },
    { name: 'without a name', text: '{"":1,"a":{"":2}}' },
    { name: 'that is only similar', text: '{"a":1,"A":2,"а":3}' },
    { name: '__proto__', text: '{"__proto__":{"__proto__":null}}' },
  ])('may repeat a name: $name', ({ text }) => {
    expect(parse(text)).toEqual({ outcome: 'parsed', value: JSON.parse(text) as unknown })
  })
})
