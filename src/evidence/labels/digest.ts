import { createHmac, hash } from 'node:crypto'

/** Keyed hash of a text, 96 bits in base64, stored in place of names, paths and lines. */
export type Digest = (text: string) => string

/** Makes a digest. Who has only the hashes learns nothing; who has the key too can try guesses, no more. */
export const createDigest = (key: Uint8Array): Digest => {
  // Of a fixed length and in front, and the hash is cut: as good as an HMAC here, and four times as fast.
  const lead = createHmac('sha256', key).update('names').digest('base64')
  return (text) => hash('sha256', lead + text, 'base64').slice(0, 16)
}
