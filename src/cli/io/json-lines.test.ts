import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Io } from './io.ts'
import { answerLines } from './json-lines.ts'

const ioOf = (chunks: readonly Uint8Array[], out: string[]): Io => ({
  out: (text) => out.push(text),
  err: () => {},
  stdin: async () => '',
  stdinChunks: async function* () {
    yield* chunks
  },
  env: {},
  cwd: '/',
  home: '/',
  isTty: false,
  signal: new AbortController().signal,
})

const answered = async (chunks: readonly Uint8Array[]): Promise<{ code: number; out: readonly string[] }> => {
  const out: string[] = []
  const code = await answerLines(ioOf(chunks, out), async ({ text = null }) => ({ value: { text } }))
  return { code, out }
}

test.each([
  { name: 'lines with and without an end', input: '{"id":1,"text":"a"}\n{"id":2,"text":"b"}', ids: [1, 2] },
  { name: 'a carriage return before the line feed', input: '{"id":1}\r\n{"id":2}\r\n', ids: [1, 2] },
  { name: 'a byte order mark', input: '\ufeff{"id":1}', ids: [1] },
  { name: 'blank lines', input: '\n\n  \n{"id":1}\n\n', ids: [1] },
  { name: 'nothing', input: '', ids: [] },
])('answers $name', async ({ input, ids }) => {
  const { code, out } = await answered([Buffer.from(input)])
  expect(out.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual(ids)
  expect(code).toBe(0)
})

test.each([
  { name: 'bytes that are not UTF-8', line: Buffer.from([0x7b, 0xff, 0x7d]) },
  { name: '10,000 levels', line: Buffer.from(`{"id":1,"text":${'['.repeat(10_000)}${']'.repeat(10_000)}}`) },
  { name: 'a line similar to an error', line: Buffer.from('{"fault":"x"}') },
  { name: 'an id that is an object', line: Buffer.from('{"id":{}}') },
])('reports the error of $name, and continues', async ({ line }) => {
  const { code, out } = await answered([line, Buffer.from('\n{"id":"next"}\n')])
  expect(out).toHaveLength(2)
  expect(JSON.parse(out[0] ?? '')).toHaveProperty('error.code', 'SP_INPUT_LINE')
  expect(JSON.parse(out[1] ?? '')).toHaveProperty('id', 'next')
  expect(code).toBe(2)
})

test('the split of the input does not matter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 5 }),
      async (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text, id) => JSON.stringify({ id, text })).join('\n'))
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        const { out } = await answered(pieces)
        expect(out.map((line) => JSON.parse(line) as unknown)).toEqual(texts.map((text, id) => ({ id, text })))
      },
    ),
    { numRuns: 40 },
  )
})

test('a line that is too long is refused, and the next one answered', async () => {
  const piece = Buffer.alloc(1 << 20, 97)
  const { out } = await answered([...Array.from({ length: 65 }, () => piece), Buffer.from('\n{"id":1}')])
  expect(out[0]).toContain('longer than 64 MiB')
  expect(out[1]).toBe('{"id":1,"text":null}')
})
