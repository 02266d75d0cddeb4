import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { canonicalJson } from '../../protocol/canonical-json.ts'
import { chainEvent, fromLiteral, GENESIS, toLiteral } from './chain.ts'

const event = { session: 's', type: 'HookDecision', at: 1_700_000_000_000, body: { b: 1, a: 'x' } }

describe('chainEvent', () => {
  test('begins a chain at seq 1 after 64 zeros, and hashes every other member', () => {
    expect(chainEvent(undefined, event)).toMatchInlineSnapshot(`
      {
        "at": 1700000000000,
        "body": {
          "a": "x",
          "b": 1,
        },
        "hash": "651d3632de4de35d4126428c71a671b14608a21441a703bb8fc058b584b50b40",
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

  test('law: the hash is SHA-256 over the canonical form of the event, then the bytes of the hash before it', () => {
    const anyEvent = fc.record({
      session: fc.string({ unit: 'binary' }),
      type: fc.string({ unit: 'binary' }),
      at: fc.integer(),
      body: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()) as fc.Arbitrary<Record<string, string>>,
    })
    fc.assert(
      fc.property(anyEvent, (any) => {
        const first = chainEvent(undefined, any)
        expect(first.prevHash).toBe(GENESIS)
        const { hash, prevHash, ...rest } = chainEvent(first, any)
        const bytes = Buffer.concat([Buffer.from(canonicalJson(rest)), Buffer.from(prevHash, 'hex')])
        expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
      }),
    )
  })
})

test('law: a literal gives its text back, whatever the characters', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fromLiteral(toLiteral(text)) === text))
  expect(fromLiteral(toLiteral('\ud800\0"\\'))).toBe('\ud800\0"\\')
})
