import { createHash } from 'node:crypto'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { canonicalJson } from '../../protocol/canonical-json.ts'
import { chainEvent } from '../../../test/support/chain-event.ts'
import { fromLiteral, GENESIS, toLiteral } from './chain.ts'

const event = { session: 's', type: 'HookDecision', at: 1_700_000_000_000, body: { b: 1, a: 'x' } }

describe('an event in its chain', () => {
  test('begins a chain at seq 1 after 64 zeros, and hashes every other member', () => {
    expect(chainEvent(undefined, event)).toMatchInlineSnapshot(`
      {
        "at": 1700000000000,
        "body": {
          "a": "x",
          "b": 1,
        },
        "hash": "1c298e6d19484aa260a3ad07217542d625a78ef2cf932d28beed2341cddf4692",
        "prevHash": "0000000000000000000000000000000000000000000000000000000000000000",
        "seq": 1,
        "session": "s",
        "type": "HookDecision",
      }
    `)
  })

  test('links to the event before', () => {
    const first = chainEvent(undefined, event)
    expect(chainEvent(first, event)).toMatchObject({ seq: 2, prevHash: first.hash })
  })

  test('law: the hash is SHA-256 over the canonical form of the event without it', () => {
    const anyEvent = fc.record({
      session: fc.string({ unit: 'binary' }),
      type: fc.string({ unit: 'binary' }),
      at: fc.integer(),
      body: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()) as fc.Arbitrary<Record<string, string>>,
    })
    fc.assert(
      fc.property(anyEvent, (any) => {
        const { hash, ...rest } = chainEvent(undefined, any)
        expect(hash).toBe(createHash('sha256').update(canonicalJson(rest)).digest('hex'))
        expect(rest.prevHash).toBe(GENESIS)
      }),
    )
  })
})

test('law: a literal is decoded to its text, for any characters', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fromLiteral(toLiteral(text)) === text))
  expect(fromLiteral(toLiteral('\ud800\0"\\'))).toBe('\ud800\0"\\')
})
