import { Buffer } from 'node:buffer'
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { PublicKey, Signature } from './key.ts'
import { fitsAlgorithm, isPageOrigin, verifyPasskeySignature } from './passkey-signature.ts'
import type { Signed } from './signed.ts'
import { readSshPublicKey, sshFingerprint, verifySshSignature } from './ssh-signature.ts'
import { statementBytes, statementHash } from './statement.ts'

const fingerprint = (spki: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(spki, 'base64url')).digest('base64').replace(/=+$/, '')}`

type Bare = PublicKey extends infer K ? (K extends PublicKey ? Omit<K, 'id'> : never) : never

/** The id of a public key. @throws RangeError when the key is invalid */
export const keyIdOf = (key: Bare | PublicKey): string =>
  key.kind === 'ssh' ? sshFingerprint(readSshPublicKey(key.publicKey)) : fingerprint(key.spki)

const isEd25519 = (spki: string): boolean => fitsAlgorithm(spki, -8)

/** Whether a key is valid: its id matches it, and its kind is supported. */
export const isSoundKey = (key: PublicKey): boolean => {
  try {
    if (keyIdOf(key) !== key.id) return false
    switch (key.kind) {
      case 'passphrase':
        return isEd25519(key.spki)
      case 'passkey':
        return isPageOrigin(key.origin) && fitsAlgorithm(key.spki, key.algorithm)
      case 'ssh':
        return (readSshPublicKey(key.publicKey).application !== undefined) === key.presence
      default:
        return false
    }
  } catch {
    return false
  }
}

const verifyPassphrase = (spki: string, bytes: Buffer, signature: string): boolean => {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' })
    return verify(null, bytes, key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** Whether this key has signed the statement: the only place where signatures are verified. Throws nothing. */
export const isSignedBy = (key: PublicKey, { statement, signature }: Signed): boolean => {
  if (signature.key !== key.id || !isSoundKey(key)) return false
  if (key.kind === 'passphrase' && signature.kind === 'passphrase')
    return verifyPassphrase(key.spki, statementBytes(statement), signature.signature)
  if (key.kind === 'ssh' && signature.kind === 'ssh')
    return verifySshSignature(key.publicKey, statementBytes(statement), signature.signature)
  if (key.kind === 'passkey' && signature.kind === 'passkey')
    return verifyPasskeySignature(key, statementHash(statement), signature)
  return false
}

/** The key among these that has signed, if any. */
export const signerOf = (keys: readonly PublicKey[], signed: Signed): PublicKey | undefined => {
  const { signature } = signed as { readonly signature?: Partial<Signature> }
  const key = keys.find(({ id }) => id === signature?.key)
  return key !== undefined && isSignedBy(key, signed) ? key : undefined
}
