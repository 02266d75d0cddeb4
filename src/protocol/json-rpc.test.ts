import { describe, expect, test } from 'vitest'
import { readCall } from './json-rpc.ts'

describe('the envelope of a call', () => {
  const sound = { jsonrpc: '2.0', method: 'ping', id: 1 }
  test.each([
    { name: 'a text id', value: { ...sound, id: 'a' }, id: 'a' },
    { name: 'a whole number', value: sound, id: 1 },
    { name: 'zero', value: { ...sound, id: 0 }, id: 0 },
    { name: 'a notification', value: { jsonrpc: '2.0', method: 'ping' }, id: undefined },
    { name: 'the largest safe number', value: { ...sound, id: Number.MAX_SAFE_INTEGER }, id: Number.MAX_SAFE_INTEGER },
  ])('is read: $name', ({ value, id }) => {
    expect(readCall(value)).toMatchObject({ outcome: 'call', call: { id, method: 'ping', raw: value } })
  })

  test.each([
    { name: 'no object', value: 7, id: null },
    { name: 'null', value: null, id: null },
    { name: 'an array', value: [], id: null },
    { name: 'a null id', value: { ...sound, id: null }, id: null },
    { name: 'a fractional id', value: { ...sound, id: 1.5 }, id: null },
    { name: 'an id that JSON has rounded', value: { ...sound, id: 2 ** 53 }, id: null },
    { name: 'an id of an object', value: { ...sound, id: {} }, id: null },
    { name: 'a huge text id', value: { ...sound, id: 'x'.repeat(257) }, id: null },
    { name: 'a lone surrogate in the id', value: { ...sound, id: '\ud800' }, id: null },
    { name: 'no version', value: { method: 'ping', id: 3 }, id: 3 },
    { name: 'another version', value: { ...sound, jsonrpc: '1.0' }, id: 1 },
    { name: 'no method', value: { jsonrpc: '2.0', id: 'k' }, id: 'k' },
    { name: 'an empty method', value: { ...sound, method: '' }, id: 1 },
    { name: 'a method of another type', value: { ...sound, method: 5 }, id: 1 },
    { name: 'an endless method', value: { ...sound, method: 'm'.repeat(129) }, id: 1 },
  ])('is refused: $name', ({ value, id }) => {
    expect(readCall(value)).toMatchObject({ outcome: 'invalid', id, detail: expect.stringMatching(/\w/) })
  })
})
