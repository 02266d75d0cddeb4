import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { NoteSigner, NoteVerifier } from './signed-note.ts'

const makeKey = (path: string): KeyObject => {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  return privateKey
}

/**
 * The key that signs a guard's checkpoints, in a file (PKCS #8, PEM, mode 0600) that is created on first use.
 * @param origin name of the log; default: derived from the key
 */
export const openSigningKey = (path: string, origin: string | undefined): NoteSigner => {
  const privateKey = existsSync(path) ? createPrivateKey(readFileSync(path)) : makeKey(path)
  const own = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return { name: origin ?? `sallyport/${hash('sha256', own).slice(0, 16)}`, privateKey }
}

/** What checks the notes of a signer. */
export const verifierOf = ({ name, privateKey }: NoteSigner): NoteVerifier => ({
  name,
  publicKey: createPublicKey(privateKey),
})
