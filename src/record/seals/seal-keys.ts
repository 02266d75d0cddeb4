import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { SealDraft } from '../stores/store.ts'

/**
 * Keys of forward-secure sealing, after Bellare and Yee, "Forward-Security in Private-Key Cryptography" (2003): each
 * seal has a key of its own, derived one way from the key before, which is then destroyed. Today's key cannot make
 * yesterday's seals; the first key verifies them all.
 */
export interface SealKey {
  /** Names the first key of the sequence, from which this one is derived: 16 hex digits. */
  readonly id: string
  /** 1 for the first key. */
  readonly index: number
  /** 32 bytes. */
  readonly secret: Uint8Array
}

const KEY_BYTES = 32
const NO_SALT = new Uint8Array()

const derive = (secret: Uint8Array, purpose: 'next' | 'authenticate'): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, NO_SALT, `sallyport seal ${purpose}`, KEY_BYTES))

/** The first key of a sequence: the verification key that a person keeps. @throws RangeError unless it has 32 bytes */
export const firstKey = (secret: Uint8Array): SealKey => {
  if (secret.length !== KEY_BYTES) throw new RangeError(`a seal key has ${KEY_BYTES} bytes, not ${secret.length}`)
  return {
    id: hash('sha256', Buffer.concat([Buffer.from('sallyport seal id'), secret])).slice(0, 16),
    index: 1,
    secret,
  }
}

/** The key after this one. */
export const nextKey = ({ id, index, secret }: SealKey): SealKey => ({
  id,
  index: index + 1,
  secret: derive(secret, 'next'),
})

/** The key with that index; `undefined` for one that came before, which cannot be had from this one. */
export const keyAt = (from: SealKey, index: number): SealKey | undefined => {
  if (index < from.index) return undefined
  let key = from
  while (key.index < index) key = nextKey(key)
  return key
}

/** HMAC-SHA-256, hex, of a seal in its place in the guard's chain. */
export const authenticationCode = ({ secret, index, id }: SealKey, draft: SealDraft): string =>
  createHmac('sha256', derive(secret, 'authenticate'))
    .update(canonicalJson({ id, index, ...draft, sessions: draft.sessions.map((one) => ({ ...one })) }))
    .digest('hex')

/** Whether a code is that of the seal, compared in constant time. */
export const isAuthentic = (key: SealKey, draft: SealDraft, code: string): boolean => {
  const [given, own] = [Buffer.from(code), Buffer.from(authenticationCode(key, draft))]
  return given.length === own.length && timingSafeEqual(given, own)
}

const PREFIX = 'sallyport-seal-key:'

/** A verification key as a person keeps it. */
export const writeKey = ({ secret }: SealKey): string => `${PREFIX}${Buffer.from(secret).toString('base64url')}`

/** Reads what `writeKey` wrote; `undefined` for anything else. */
export const readKey = (text: string): SealKey | undefined => {
  const trimmed = text.trim()
  if (!trimmed.startsWith(PREFIX) || !/^[\w-]{43}$/.test(trimmed.slice(PREFIX.length))) return undefined
  return firstKey(Buffer.from(trimmed.slice(PREFIX.length), 'base64url'))
}
