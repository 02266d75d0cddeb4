import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { PublicKey } from '../../src/record/signatures/key.ts'
import { KEY_GENESIS, readKeyList } from '../../src/record/signatures/key-list.ts'
import type { KeyEntry, KeyList } from '../../src/record/signatures/key-list.ts'
import type { Signed } from '../../src/record/signatures/signed.ts'
import { makeNonce, statementBytes, statementHash } from '../../src/record/signatures/statement.ts'
import type { Statement } from '../../src/record/signatures/statement.ts'
import { keyIdOf } from '../../src/record/signatures/verify.ts'

/** A person with a key, for tests. */
export interface Signer {
  readonly key: PublicKey
  sign<T extends Statement>(statement: T): Signed<T>
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url')
const spkiOf = (key: KeyObject): string => base64url(key.export({ format: 'der', type: 'spki' }))

/** Ed25519 as a passphrase opens it. */
export const makeSigner = (name = 'ada'): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  // Keys go to other processes and back; this one stays.
  const own = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const bare = { kind: 'passphrase' as const, name, spki: spkiOf(publicKey) }
  const key: PublicKey = { ...bare, id: keyIdOf(bare) }
  return {
    key,
    sign: (statement) => ({
      statement,
      signature: {
        kind: 'passphrase',
        key: key.id,
        signature: base64url(sign(null, statementBytes(statement), own)),
      },
    }),
  }
}

/** Deliberate deviations of an authenticator. */
export interface PasskeyMade {
  readonly flags?: number
  readonly origin?: string
  readonly rp?: string
  readonly type?: string
  readonly challenge?: string
  readonly crossOrigin?: boolean
}

/** A passkey as an authenticator keeps it: ES256. */
export const makePasskey = (name = 'phone', made: PasskeyMade = {}): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const bare = {
    kind: 'passkey' as const,
    name,
    credential: 'Y3JlZA',
    spki: spkiOf(publicKey),
    algorithm: -7,
    origin: 'http://localhost:4775',
  }
  const key: PublicKey = { ...bare, id: keyIdOf(bare) }
  const hash = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
  return {
    key,
    sign: (statement) => {
      const { flags = 5, origin = 'http://localhost:4775', rp = 'localhost', type = 'webauthn.get' } = made
      const data = Buffer.concat([hash(rp), Buffer.from([flags, 0, 0, 0, 1])])
      const client = Buffer.from(
        JSON.stringify({
          type,
          challenge: made.challenge ?? base64url(statementHash(statement)),
          origin,
          crossOrigin: made.crossOrigin ?? false,
        }),
      )
      const signature = sign('sha256', Buffer.concat([data, hash(client)]), privateKey)
      return {
        statement,
        signature: {
          kind: 'passkey',
          key: key.id,
          authenticatorData: base64url(data),
          clientDataJson: base64url(client),
          signature: base64url(signature),
        },
      }
    },
  }
}

/** The guard of all lists made here. */
export const GUARD = 'guard-under-test'

/** The entry that enrols a key: after a list, signed by one of its keys; or the first, by itself. */
export const enrolment = (signer: Signer, list?: KeyList, by: Signer = signer): KeyEntry =>
  by.sign({
    act: 'enrol-key',
    guard: list?.guard ?? GUARD,
    nonce: makeNonce(),
    at: 1_700_000_000_000,
    by: 'ada',
    reason: '',
    key: signer.key,
    prev: list?.head ?? KEY_GENESIS,
  })

/** A list of keys; the first enrols the others. */
export const keyListOf = (first: Signer, ...others: readonly Signer[]): KeyList => {
  const entries = [enrolment(first)]
  const read = (): KeyList => {
    const result = readKeyList(entries)
    if (result.outcome === 'broken') throw new Error(`entry ${result.at}: ${result.why}`)
    return result.list
  }
  for (const other of others) entries.push(enrolment(other, read(), first))
  return read()
}
