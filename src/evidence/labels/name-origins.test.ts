import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDigest } from './digest.ts'
import { createNameOrigins } from './name-origins.ts'
import type { NameOriginsLimits } from './name-origins.ts'
import type { Name, Speaker } from './names.ts'

const host = (value: string): Name => ({ kind: 'host', value })
const digest = createDigest(new Uint8Array(32))
const make = (limits?: NameOriginsLimits) => createNameOrigins({ digest, ...(limits === undefined ? {} : { limits }) })
const SOURCE = { label: 'web a.example', place: host('a.example') }

describe('who named what', () => {
  test.each<{ readonly name: string; readonly said: readonly Speaker[]; readonly origin: string }>([
    { name: 'nobody', said: [], origin: 'unknown' },
    { name: 'a stranger first, the workspace later', said: ['untrusted', 'workspace'], origin: 'untrusted' },
    { name: 'the workspace first, a stranger later', said: ['workspace', 'untrusted'], origin: 'workspace' },
    { name: 'a stranger first, the person later', said: ['untrusted', 'person'], origin: 'person' },
    { name: 'the person first, a stranger later', said: ['person', 'untrusted'], origin: 'person' },
    { name: 'the workspace first, the person later', said: ['workspace', 'person'], origin: 'person' },
  ])('$name: $origin', ({ said, origin }) => {
    const nameOrigins = make()
    for (const speaker of said) nameOrigins.note(speaker, [host('x.example')], SOURCE)
    expect(nameOrigins.of('host', 'x.example').origin).toBe(origin)
  })

  test('a name in a text that the person pointed at is referred, with its source', () => {
    const nameOrigins = make()
    nameOrigins.note('untrusted', [host('x.example')], SOURCE)
    expect(nameOrigins.of('host', 'x.example')).toEqual({ origin: 'untrusted', source: 'web a.example' })
    nameOrigins.note('person', [host('a.example')])
    expect(nameOrigins.of('host', 'x.example')).toEqual({ origin: 'referred', source: 'web a.example' })
  })

  const tight = { person: 2, workspace: 2, untrusted: 2, 'workspace mentions': 2, 'untrusted mentions': 2 }

  test('what a stranger named and is forgotten is not unknown', () => {
    const nameOrigins = make(tight)
    nameOrigins.note('untrusted', ['a', 'b', 'c'].map(host), SOURCE)
    expect(nameOrigins.forgotten('untrusted')).toBe(true)
    expect(nameOrigins.of('host', 'a')).toEqual({ origin: 'forgotten' })
    expect(nameOrigins.of('host', 'never')).toEqual({ origin: 'forgotten' })
    expect(nameOrigins.of('host', 'c').origin).toBe('untrusted')
  })

  test('what the workspace names after that may be a stranger again', () => {
    const nameOrigins = make(tight)
    nameOrigins.note('workspace', [host('before')])
    nameOrigins.note('untrusted', ['a', 'b', 'c'].map(host), SOURCE)
    nameOrigins.note('workspace', [host('a')])
    expect(['before', 'a'].map((name) => nameOrigins.of('host', name).origin)).toEqual(['workspace', 'forgotten'])
  })

  test('facts make the same again', () => {
    const nameOrigins = make(tight)
    nameOrigins.note('untrusted', ['a', 'b', 'c'].map(host), SOURCE)
    nameOrigins.note('workspace', [host('a'), host('w')])
    nameOrigins.note('person', [host('b'), host('p')])
    const again = make(tight)
    for (const fact of nameOrigins.facts()) again.restore(fact)
    for (const name of ['a', 'b', 'c', 'w', 'p', 'never'])
      expect(again.of('host', name)).toEqual(nameOrigins.of('host', name))
    expect(again.facts()).toEqual(nameOrigins.facts())
  })

  test('a flood of one speaker drives out no name of another', () => {
    const nameOrigins = make(tight)
    nameOrigins.note('untrusted', [host('evil')], SOURCE)
    nameOrigins.note('person', [host('mine')])
    nameOrigins.note(
      'workspace',
      Array.from({ length: 50 }, (_, number) => host(`w${number}`)),
    )
    expect([nameOrigins.of('host', 'evil').origin, nameOrigins.of('host', 'mine').origin]).toEqual([
      'untrusted',
      'person',
    ])
    expect(nameOrigins.forgotten('untrusted')).toBe(false)
  })

  test('law: a stranger’s name is never unknown, whatever comes after', () => {
    const note = fc.tuple(fc.constantFrom<Speaker>('person', 'workspace', 'untrusted'), fc.nat(20))
    fc.assert(
      fc.property(fc.array(note, { maxLength: 60 }), (notes) => {
        const nameOrigins = make(tight)
        const first = new Map<number, Speaker>()
        for (const [speaker, number] of notes) {
          nameOrigins.note(speaker, [host(`h${number}`)], SOURCE)
          if (!first.has(number)) first.set(number, speaker)
        }
        for (const [number, speaker] of first)
          if (speaker === 'untrusted') expect(nameOrigins.of('host', `h${number}`).origin).not.toBe('unknown')
        expect(nameOrigins.size).toBeLessThanOrEqual(10)
      }),
    )
  })
})
