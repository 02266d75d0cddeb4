import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineReader } from './lines.ts'

const linesOf = (chunks: readonly string[], most = 100): readonly string[] => {
  const reader = createLineReader(most)
  return chunks.flatMap((chunk) =>
    reader.take(Buffer.from(chunk)).map((line) => (line.kind === 'line' ? line.bytes.toString() : line.why)),
  )
}

test('lines are the same however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 9, unit: fc.constantFrom('a', 'ü', '\n', '{') })), (chunks) => {
      const whole = chunks.join('')
      expect(linesOf(chunks)).toEqual(whole.split('\n').slice(0, -1))
    }),
  )
})

test('half a message is never returned', () => {
  expect(linesOf(['{"a":1}\n{"b"'])).toEqual(['{"a":1}'])
})

test('a line that is too long is dropped, with its ends; the next one is read', () => {
  const reader = createLineReader(10_000)
  const parts = ['{"id":7,', ...Array.from({ length: 50 }, () => 'x'.repeat(999)), ',"z":1}\n{"ok":1}\n']
  const lines = parts.flatMap((part) => reader.take(Buffer.from(part)))
  expect(lines.map(({ kind }) => kind)).toEqual(['unusable', 'line'])
  const [long] = lines
  const edges = long?.kind === 'unusable' ? long.edges.toString() : ''
  expect(edges.startsWith('{"id":7,')).toBe(true)
  expect(edges.endsWith(',"z":1}')).toBe(true)
  expect(edges.length).toBeLessThan(20_000)
})

test.each([
  { name: 'a line that ends as on Windows', stream: '{"id":1}\r\n', lines: ['{"id":1}\r'] },
  {
    name: 'a message within white space of another one',
    stream: '{"id":1,"x":\r{"id":2}\r}\n',
    lines: ['it has a carriage return inside'],
  },
  { name: 'an empty line of an old Mac', stream: '\r{"id":1}\n', lines: ['it has a carriage return inside'] },
])('a carriage return ends a line for other readers: $name', ({ stream, lines }) => {
  expect(linesOf([stream])).toEqual(lines)
})
