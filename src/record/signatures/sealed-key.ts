import { Buffer } from 'node:buffer'
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  scrypt,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { PublicKey, Signature } from './key.ts'
import { statementBytes } from './statement.ts'
import type { Statement } from './statement.ts'
import { keyIdOf } from './verify.ts'

/** An Ed25519 private key, encrypted with a passphrase: scrypt, AES-256-GCM. */
export interface SealedKey {
  readonly version: 1
  /** Id of its public half. */
  readonly id: string
  /** Cost of scrypt, a power of two. */
  readonly cost: number
  /** base64url, as all below. */
  readonly salt: string
  readonly iv: string
  readonly sealed: string
  readonly tag: string
}

/** 128 MiB and about half a second for each guess. */
const SCRYPT_COST = 2 ** 17
/** Shortest passphrase, in characters: an attacker with the file can guess without limit. */
export const SHORTEST_PASSPHRASE = 12

const BLOCK = 8
const COSTS: readonly number[] = Array.from({ length: 11 }, (_, n) => 2 ** (10 + n))

const scryptKey = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

const keyFrom = (passphrase: string, salt: Buffer, cost: number): Promise<Buffer> =>
  scryptKey(passphrase.normalize('NFC'), salt, 32, { N: cost, r: BLOCK, p: 1, maxmem: 256 * cost * BLOCK })

const encoded = (bytes: Buffer): string => bytes.toString('base64url')
const decoded = (text: string): Buffer => Buffer.from(text, 'base64url')

/** Makes a key pair; the private half leaves this function encrypted only. */
export const makeSealedKey = async (
  name: string,
  passphrase: string,
  cost = SCRYPT_COST,
): Promise<{ readonly key: PublicKey; readonly sealed: SealedKey }> => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const bare = {
    kind: 'passphrase' as const,
    name,
    spki: encoded(publicKey.export({ format: 'der', type: 'spki' })),
  }
  const id = keyIdOf(bare)
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(passphrase, salt, cost), iv)
  cipher.setAAD(Buffer.from(id))
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealed = Buffer.concat([cipher.update(der), cipher.final()])
  der.fill(0)
  const file = { version: 1, id, cost, salt: encoded(salt), iv: encoded(iv), sealed: encoded(sealed) } as const
  return { key: { ...bare, id }, sealed: { ...file, tag: encoded(cipher.getAuthTag()) } }
}

/** Signs a statement; `undefined` when the passphrase is wrong or the file was changed. */
export const signWithPassphrase = async (
  { id, cost, salt, iv, sealed, tag }: SealedKey,
  passphrase: string,
  statement: Statement,
): Promise<Signature | undefined> => {
  if (!COSTS.includes(cost)) return undefined
  let der: Buffer | undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', await keyFrom(passphrase, decoded(salt), cost), decoded(iv), {
      authTagLength: 16,
    })
    decipher.setAAD(Buffer.from(id))
    decipher.setAuthTag(decoded(tag))
    der = Buffer.concat([decipher.update(decoded(sealed)), decipher.final()])
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    return { kind: 'passphrase', key: id, signature: encoded(sign(null, statementBytes(statement), key)) }
  } catch {
    return undefined
  } finally {
    der?.fill(0)
  }
}
