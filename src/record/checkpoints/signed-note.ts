import { createPublicKey, hash, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Algorithm byte of Ed25519 (C2SP signed-note, "Signature types"). */
const ED25519 = 1
const KEY_BYTES = 32
const ID_BYTES = 4

/** A key that signs notes. */
export interface NoteSigner {
  /** Without blanks and plus signs. */
  readonly name: string
  /** Ed25519. */
  readonly privateKey: KeyObject
}

/** A key that notes are verified with. */
export interface NoteVerifier {
  readonly name: string
  /** Ed25519. */
  readonly publicKey: KeyObject
}

const rawOf = (publicKey: KeyObject): Buffer => Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')

const keyId = (name: string, raw: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), raw]), 'buffer').subarray(0, ID_BYTES)

/** The verifier key as text: `NAME+ID+BASE64` (C2SP signed-note, "Verifier keys"). */
export const writeVerifier = ({ name, publicKey }: NoteVerifier): string => {
  const raw = rawOf(publicKey)
  return `${name}+${keyId(name, raw).toString('hex')}+${Buffer.concat([Buffer.from([ED25519]), raw]).toString('base64')}`
}

/** Reads a verifier key; `undefined` for an invalid one, or with a wrong id. */
export const readVerifier = (text: string): NoteVerifier | undefined => {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? []
  if (name === undefined || encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  const raw = bytes.subarray(1)
  if (bytes[0] !== ED25519 || raw.length !== KEY_BYTES || keyId(name, raw).toString('hex') !== id) return undefined
  return {
    name,
    publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' }),
  }
}

/** Signs a text, which ends in a newline (https://c2sp.org/signed-note). */
export const signNote = (text: string, { name, privateKey }: NoteSigner): string => {
  const id = keyId(name, rawOf(createPublicKey(privateKey)))
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)])
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`
}

const SIGNATURE = /^\u2014 (\S+) (\S+)$/

/** The text of a note that this key has signed; `undefined` for any other. Signatures of other keys are passed over. */
export const openNote = (note: string, { name, publicKey }: NoteVerifier): string | undefined => {
  const gap = note.lastIndexOf('\n\n')
  if (gap < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, gap + 1)
  const id = keyId(name, rawOf(publicKey))
  const isSigned = note
    .slice(gap + 2, -1)
    .split('\n')
    .some((line) => {
      const [, signer, encoded] = SIGNATURE.exec(line) ?? []
      if (signer !== name || encoded === undefined) return false
      const bytes = Buffer.from(encoded, 'base64')
      return (
        bytes.subarray(0, ID_BYTES).equals(id) && verify(null, Buffer.from(text), publicKey, bytes.subarray(ID_BYTES))
      )
    })
  return isSigned ? text : undefined
}
