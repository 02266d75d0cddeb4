import { Buffer } from 'node:buffer'
import { createHash, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { PublicKey, Signature } from './key.ts'

/** Relying party of our passkeys: an IP address cannot be one. */
const RP_ID = 'localhost'

const RP_HASH = createHash('sha256').update(RP_ID).digest()
/** Pages of this machine. */
const ORIGIN = /^http:\/\/localhost(?::\d{1,5})?$/

/** Flags of authenticator data (WebAuthn, section 6.1). */
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
/** Bytes before the extensions: hash of the relying party, flags, counter. */
const HEAD = 37

/** Hash and padding by COSE algorithm. */
const HASHES: Readonly<Record<number, string | null>> = { [-7]: 'sha256', [-8]: null, [-257]: 'sha256' }

const KEY_TYPES: Readonly<Record<number, string>> = { [-7]: 'ec', [-8]: 'ed25519', [-257]: 'rsa' }

/** Whether a public key fits the algorithm of a passkey. */
export const fitsAlgorithm = (spki: string, algorithm: number): boolean => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key: Buffer.from(spki, 'base64url'),
      format: 'der',
      type: 'spki',
    })
    if (asymmetricKeyType !== KEY_TYPES[algorithm]) return false
    return algorithm === -7
      ? asymmetricKeyDetails?.namedCurve === 'prime256v1'
      : algorithm !== -257 || (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
  } catch {
    return false
  }
}

/** Whether passkeys may sign on a page. */
export const isPageOrigin = (origin: string): boolean => ORIGIN.test(origin)

const clientDataFits = (clientData: Buffer, challenge: Buffer, page: string): boolean => {
  const value: unknown = JSON.parse(clientData.toString('utf8'))
  if (typeof value !== 'object' || value === null) return false
  const { type, challenge: signed, origin, crossOrigin } = value as Readonly<Record<string, unknown>>
  return (
    type === 'webauthn.get' &&
    signed === challenge.toString('base64url') &&
    origin === page &&
    ORIGIN.test(page) &&
    crossOrigin !== true
  )
}

/**
 * Whether an assertion (WebAuthn, section 7.2) is this passkey's for the challenge, made on its page of this machine
 * with the person present and verified. Throws nothing.
 */
export const verifyPasskeySignature = (
  key: Extract<PublicKey, { kind: 'passkey' }>,
  challenge: Buffer,
  { authenticatorData, clientDataJson, signature }: Extract<Signature, { kind: 'passkey' }>,
): boolean => {
  try {
    const [data, clientData] = [authenticatorData, clientDataJson].map((text) => Buffer.from(text, 'base64url'))
    if (data === undefined || clientData === undefined || data.length < HEAD) return false
    const flags = data[RP_HASH.length] ?? 0
    if (!timingSafeEqual(data.subarray(0, RP_HASH.length), RP_HASH)) return false
    if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return false
    if (!clientDataFits(clientData, challenge, key.origin) || !fitsAlgorithm(key.spki, key.algorithm)) return false
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    const publicKey = createPublicKey({ key: Buffer.from(key.spki, 'base64url'), format: 'der', type: 'spki' })
    return verify(HASHES[key.algorithm] ?? null, signed, publicKey, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}
