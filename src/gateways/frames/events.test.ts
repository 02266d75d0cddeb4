import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventReader, eventOf, isOneEvent } from './events.ts'
import type { StreamEvent } from './events.ts'

const shown = (event: StreamEvent): unknown => {
  if (event.kind === 'unusable') return event.why
  if (event.kind === 'quiet')
    return { quiet: event.raw.toString(), ...(event.id === undefined ? {} : { id: event.id }) }
  const { kind: _kind, data, raw, ...rest } = event
  return { ...rest, data: data.toString(), raw: raw?.toString() }
}

const read = (chunks: readonly (string | Buffer)[], most = 10_000): readonly unknown[] => {
  const reader = createEventReader(most)
  return chunks.flatMap((chunk) => reader.take(Buffer.from(chunk))).map(shown)
}

describe('an event', () => {
  test.each<{ readonly name: string; readonly stream: string; readonly events: readonly unknown[] }>([
    {
      name: 'as SDKs write it',
      stream: 'event: message\nid: 7\ndata: {"a":1}\n\n',
      events: [{ id: '7', data: '{"a":1}', raw: 'event: message\nid: 7\ndata: {"a":1}\n\n' }],
    },
    {
      name: 'with the line ends of Windows',
      stream: 'data: 1\r\nretry: 30\r\n\r\n',
      events: [{ retry: '30', data: '1', raw: 'data: 1\r\nretry: 30\r\n\r\n' }],
    },
    {
      name: 'of several lines, without the space',
      stream: 'data:{\ndata:}\n\n',
      events: [{ data: '{\n}', raw: 'data:{\ndata:}\n\n' }],
    },
    { name: 'behind a byte order mark', stream: '\u{FEFF}data: 1\n\n', events: [{ data: '1', raw: 'data: 1\n\n' }] },
    { name: 'of comments only', stream: ': ping\n\n', events: [{ quiet: ': ping\n\n' }] },
    {
      name: 'that only names where to resume',
      stream: 'id: a\ndata:\n\n',
      events: [{ quiet: 'id: a\ndata:\n\n', id: 'a' }],
    },
    { name: 'that has not ended', stream: 'data: 1\n', events: [] },
    { name: 'of another kind', stream: 'event: endpoint\ndata: /x\n\n', events: ['it is an event of another kind'] },
  ])('$name', ({ stream, events }) => {
    expect(read([stream])).toEqual(events)
  })

  test.each([
    { name: 'a field in capitals', field: 'Data: {"b":2}' },
    { name: 'an unknown field', field: 'x: {"b":2}' },
    { name: 'a mark that is not at the start', field: '\u{FEFF}data: {"b":2}' },
    { name: 'a comment with the end of a line of some readers', field: ': \u2028data: {"b":2}' },
    { name: 'an id with one', field: 'id: \u0085data: {"b":2}' },
    { name: 'a long comment', field: `: ${'x'.repeat(2_000)}` },
    { name: 'a time to retry that is none', field: 'retry: soon' },
    { name: 'a field twice', field: 'event: x\nevent: message' },
  ])('what a client could read in another way does not go on: $name', ({ field }) => {
    expect(read([`data: 1\n\n${field}\ndata: {"a":1}\n\n`]).at(-1)).toEqual({ data: '{"a":1}', raw: undefined })
    expect(read([`${field === '\u{FEFF}data: {"b":2}' ? 'x: 1' : field}\n\n`])).toEqual([{ quiet: '' }])
  })

  test('with a carriage return inside is none', () => {
    expect(read([': \rdata: {"b":2}\n\ndata: 1\rdata: 2\n\n\rdata: 3\n\n'])).toEqual(
      Array.from({ length: 3 }, () => 'it has a carriage return inside'),
    )
  })

  test('that is too long is dropped with its ends, and the next one is read', () => {
    const reader = createEventReader(20_000)
    const parts = ['data: {"id":7,', ...Array.from({ length: 50 }, () => 'x'.repeat(999)), ',"z":1}\n\ndata: 1\n\n']
    const [long, next] = parts.flatMap((part) => reader.take(Buffer.from(part)))
    expect(long).toMatchObject({ kind: 'unusable', why: 'it is too long' })
    const edges = long?.kind === 'unusable' ? long.edges.toString() : ''
    expect(edges.startsWith('data: {"id":7,')).toBe(true)
    expect(edges.endsWith(',"z":1}\n\n')).toBe(true)
    expect(edges.length).toBeLessThan(20_000)
    expect(next).toMatchObject({ kind: 'message' })
  })
})

test('wherever a stream is cut, the events are the same', () => {
  const stream = Buffer.from(
    '\u{FEFF}: a\r\n\r\ndata: {"é":1}\r\nid: 1\r\n\r\n\ndata: 2\ndata: 3\n\nid: x\n\ndata: 4\n',
  )
  const whole = read([stream])
  expect(whole).toHaveLength(5)
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 6 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
      expect(read(at.slice(1).map((to, index) => stream.subarray(at[index], to)))).toEqual(whole)
    }),
  )
})

test('a written event is read as its text, on one line for every reader', () => {
  expect(eventOf('{"a":1}', { id: '7', retry: '30' })).toBe('event: message\nid: 7\nretry: 30\ndata: {"a":1}\n\n')
  const text = '{\n"a":"\u2028\u0085"}'
  const written = eventOf(text)
  expect(isOneEvent(text)).toBe(false)
  expect(isOneEvent(written)).toBe(true)
  const [event] = createEventReader(1_000).take(Buffer.from(written))
  expect(JSON.parse(event?.kind === 'message' ? event.data.toString() : '')).toEqual({ a: '\u2028\u0085' })
})
