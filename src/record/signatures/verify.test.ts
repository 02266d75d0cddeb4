import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { enrolment, GUARD, keyListOf, makePasskey, makeSigner } from '../../../test/support/signing.ts'
import type { PasskeyMade, Signer } from '../../../test/support/signing.ts'
import type { Signature } from './key.ts'
import { continues, NO_KEYS, readKeyList } from './key-list.ts'
import type { KeyEntry } from './key-list.ts'
import { makeSealedKey, signWithPassphrase } from './sealed-key.ts'
import type { Signed } from './signed.ts'
import { makeNonce } from './statement.ts'
import type { ApproveStatement, Statement } from './statement.ts'
import { isSignedBy, signerOf } from './verify.ts'

const T0 = 1_700_000_000_000

const approval = (over: Partial<ApproveStatement> = {}): ApproveStatement => ({
  act: 'approve',
  guard: GUARD,
  nonce: makeNonce(),
  at: T0,
  by: 'ada',
  reason: 'release',
  approval: '7k2m-9pqr',
  call: 'a'.repeat(64),
  shown: 'b'.repeat(64),
  session: 's',
  project: null,
  rules: ['package-publish'],
  guardians: ['policy'],
  until: T0 + 60_000,
  standing: false,
  input: null,
  ...over,
})

const SIGNERS: readonly { readonly name: string; readonly signer: Signer }[] = [
  { name: 'passphrase', signer: makeSigner() },
  { name: 'passkey', signer: makePasskey() },
]

/** Text with one character another. */
const spoilt = (text: string, at: number): string => {
  const index = at % text.length
  const other = text[index] === 'A' ? 'B' : 'A'
  return `${text.slice(0, index)}${other}${text.slice(index + 1)}`
}

describe.each(SIGNERS)('a statement signed by $name', ({ signer }) => {
  test('is verified', () => {
    expect(isSignedBy(signer.key, signer.sign(approval()))).toBe(true)
  })

  test.each<[string, Partial<ApproveStatement>]>([
    ['guard', { guard: 'other' }],
    ['nonce', { nonce: 'other' }],
    ['time', { at: T0 + 1 }],
    ['name', { by: 'eve' }],
    ['reason', { reason: '' }],
    ['approval', { approval: '7k2m-9pqs' }],
    ['call', { call: 'c'.repeat(64) }],
    ['what was shown', { shown: 'c'.repeat(64) }],
    ['session', { session: 't' }],
    ['project', { project: '/p' }],
    ['rules', { rules: ['package-publish', 'delete-home'] }],
    ['guardians', { guardians: [] }],
    ['expiry', { until: T0 + 60_001 }],
    ['span', { standing: true }],
    ['arguments', { input: {} }],
  ])('is not verified with another %s', (_, over) => {
    const signed = signer.sign(approval())
    expect(isSignedBy(signer.key, { ...signed, statement: { ...signed.statement, ...over } })).toBe(false)
  })

  test('law: nor with any character of its signature another', () => {
    const signed = signer.sign(approval())
    const members = Object.keys(signed.signature).filter((name) => name !== 'kind')
    const text = (name: string): string => String((signed.signature as Readonly<Record<string, unknown>>)[name])
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.nat(2_000), (name, at) => {
        const changed = spoilt(text(name), at)
        // The last character of base64url may contain unused bits.
        fc.pre(Buffer.compare(Buffer.from(changed, 'base64url'), Buffer.from(text(name), 'base64url')) !== 0)
        const signature = { ...signed.signature, [name]: changed } as Signature
        expect(isSignedBy(signer.key, { ...signed, signature })).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('nor as a statement of another kind, nor by another key of its kind', () => {
    const signed = signer.sign(approval())
    const override = { ...signed.statement, act: 'override' } as unknown as Statement
    expect(isSignedBy(signer.key, { ...signed, statement: override })).toBe(false)
    const other = signer.key.kind === 'passkey' ? makePasskey() : makeSigner()
    expect(isSignedBy(other.key, signed)).toBe(false)
    expect(isSignedBy({ ...other.key, id: signer.key.id }, signed)).toBe(false)
  })
})

test.each<{ name: string; made: PasskeyMade }>([
  { name: 'without the person present', made: { flags: 4 } },
  { name: 'without the person verified', made: { flags: 1 } },
  { name: 'on a page elsewhere', made: { origin: 'https://localhost.evil.example' } },
  { name: 'on another page of this machine', made: { origin: 'http://localhost:9999' } },
  { name: 'on a page of this machine in another’s frame', made: { crossOrigin: true } },
  { name: 'for another relying party', made: { rp: 'evil.example' } },
  { name: 'at enrolment', made: { type: 'webauthn.create' } },
  { name: 'over another challenge', made: { challenge: 'AAAA' } },
])('an assertion of a passkey counts for nothing: $name', ({ made }) => {
  const signer = makePasskey('phone', made)
  expect(isSignedBy(signer.key, signer.sign(approval()))).toBe(false)
})

describe('a key that a passphrase protects', () => {
  test('signs with it alone', async () => {
    const { key, sealed } = await makeSealedKey('laptop', 'correct horse battery', 2 ** 10)
    const statement = approval()
    const signature = await signWithPassphrase(sealed, 'correct horse battery', statement)
    if (signature === undefined) throw new Error('not signed')
    expect(isSignedBy(key, { statement, signature })).toBe(true)
    expect(await signWithPassphrase(sealed, 'correct horse batterx', statement)).toBeUndefined()
  })

  test.each(['id', 'salt', 'iv', 'sealed', 'tag'] as const)('does not with its %s changed', async (member) => {
    const { sealed } = await makeSealedKey('laptop', 'correct horse battery', 2 ** 10)
    const changed = { ...sealed, [member]: spoilt(sealed[member], 3) }
    expect(await signWithPassphrase(changed, 'correct horse battery', approval())).toBeUndefined()
  })

  test('is not opened at a cost that would take the memory', async () => {
    const { sealed } = await makeSealedKey('laptop', 'correct horse battery', 2 ** 10)
    expect(await signWithPassphrase({ ...sealed, cost: 2 ** 30 }, 'correct horse battery', approval())).toBeUndefined()
  })
})

describe('a list of keys', () => {
  const [ada, bob, eve] = [makeSigner('ada'), makePasskey('bob'), makeSigner('eve')]
  const list = keyListOf(ada, bob)
  const reread = (entries: readonly KeyEntry[]) => readKeyList(entries)
  const removal = (id: string, by: Signer): KeyEntry =>
    by.sign({
      act: 'remove-key',
      guard: GUARD,
      nonce: makeNonce(),
      at: T0,
      by: 'ada',
      reason: '',
      key: id,
      prev: list.head,
    })

  test('holds what was enrolled, and not what was removed', () => {
    expect(list.keys.map(({ name }) => name)).toEqual(['ada', 'bob'])
    const after = reread([...list.entries, removal(ada.key.id, bob)])
    expect(after).toMatchObject({ outcome: 'sound', list: { keys: [{ name: 'bob' }] } })
    expect(signerOf(list.keys, eve.sign(approval()))).toBeUndefined()
  })

  test.each<{ name: string; entries: readonly KeyEntry[]; at: number }>([
    { name: 'a stranger enrols itself', entries: [...list.entries, enrolment(eve, list, eve)], at: 2 },
    { name: 'a first key that another has signed', entries: [enrolment(ada, undefined, eve)], at: 0 },
    { name: 'the first entry is gone', entries: list.entries.slice(1), at: 0 },
    { name: 'entries in another order', entries: list.entries.toReversed(), at: 0 },
    { name: 'an entry twice', entries: [...list.entries, ...list.entries.slice(1)], at: 2 },
    { name: 'a stranger removes a key', entries: [...list.entries, removal(ada.key.id, eve)], at: 2 },
    { name: 'a key that is not there is removed', entries: [...list.entries, removal('SHA256:x', ada)], at: 2 },
    { name: 'not an entry', entries: [...list.entries, {} as KeyEntry], at: 2 },
  ])('is broken where $name', ({ entries, at }) => {
    expect(reread(entries)).toMatchObject({ outcome: 'broken', at })
  })

  test('never loses its last key', () => {
    const one = keyListOf(ada)
    const last = ada.sign({ ...removal(ada.key.id, ada).statement, prev: one.head })
    expect(reread([...one.entries, last])).toMatchObject({
      outcome: 'broken',
      why: expect.stringContaining('last key'),
    })
  })

  test('goes on from its own past alone', () => {
    expect(continues(list, NO_KEYS.head)).toBe(true)
    expect(continues(list, keyListOf(ada).head)).toBe(false)
    expect(continues(list, list.hashes[0] ?? '')).toBe(true)
    expect(continues(keyListOf(eve), list.head)).toBe(false)
  })

  test('law: a changed character anywhere breaks it', () => {
    const text = JSON.stringify(list.entries)
    fc.assert(
      fc.property(fc.nat(text.length - 1), (at) => {
        let entries: readonly KeyEntry[]
        try {
          entries = JSON.parse(spoilt(text, at)) as readonly KeyEntry[]
        } catch {
          return
        }
        const result = readKeyList(entries)
        // Unused bits of base64url, and members that are not read, change no key.
        if (result.outcome === 'sound') expect(result.list.keys).toEqual(list.keys)
      }),
      { numRuns: 300 },
    )
  })
})

test('law: a signature of one statement is none of another', () => {
  const signer = makeSigner()
  const texts = fc.record({ approval: fc.string(), call: fc.string(), by: fc.string() })
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      const base = approval()
      const signed: Signed = signer.sign({ ...base, ...one })
      expect(isSignedBy(signer.key, { ...signed, statement: { ...base, ...other } })).toBe(false)
    }),
  )
})
