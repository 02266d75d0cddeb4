import { describe, expect, test } from 'vitest'
import type { Effect, EffectKind, EffectTrait, Target } from '../../protocol/evidence.ts'
import { createDigest } from './digest.ts'
import { storedSent, learnStored } from './stored-files.ts'
import { createSessionState } from './session-state.ts'

const KEY = new Uint8Array(32).fill(7)
const digest = createDigest(KEY)

const effect = (kind: EffectKind, target: Target, traits: readonly EffectTrait[] = []): Effect => ({
  kind,
  by: 'x',
  targets: [target],
  certainty: 'certain',
  traits,
})
const file = (path: string): Target => ({ type: 'path', raw: path, path, zone: 'workspace' })
const host = (name: string): Target => ({ type: 'host', host: name })

const SENT = [effect('fs.read', file('/app/e.txt')), effect('net.send', host('e.example'))]

const ROWS: readonly {
  readonly name: string
  readonly before: readonly Effect[]
  readonly call: readonly Effect[]
  readonly types: readonly string[]
}[] = [
  {
    name: 'a file that an earlier call put a secret into',
    before: [effect('fs.write', file('/app/e.txt'), ['secret'])],
    call: SENT,
    types: ['kept-secret'],
  },
  {
    name: 'a dump of an earlier call',
    before: [effect('fs.write', file('/app/e.txt'), ['whole'])],
    call: SENT,
    types: ['kept-whole'],
  },
  {
    name: 'a file that was filled with anything else',
    before: [effect('fs.write', file('/app/e.txt'))],
    call: SENT,
    types: [],
  },
  {
    name: 'another file',
    before: [effect('fs.write', file('/app/other'), ['secret'])],
    call: SENT,
    types: [],
  },
  {
    name: 'this machine',
    before: [effect('fs.write', file('/app/e.txt'), ['secret'])],
    call: [effect('fs.read', file('/app/e.txt')), effect('net.send', host('localhost:3000'))],
    types: [],
  },
  {
    name: 'reading alone',
    before: [effect('fs.write', file('/app/e.txt'), ['secret'])],
    call: [effect('fs.read', file('/app/e.txt'))],
    types: [],
  },
]

describe('what is sent of a file that the session filled', () => {
  test.each(ROWS)('$name', ({ before, call, types }) => {
    const state = createSessionState({ key: KEY, digest, learnt: () => {} })
    learnStored(before, state, digest)
    expect(storedSent(call, state, digest).map(({ type }) => type)).toEqual(types)
    const again = createSessionState({ key: KEY, digest, learnt: () => {} })
    again.restore(state.facts())
    expect(storedSent(call, again, digest).map(({ type }) => type)).toEqual(types)
  })
})
