import { entropyOf } from '../rule.ts'

const UUID = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i

/** Names in code that contain a number: `Uint8Array`, `base64Encode`, `utf8ToString`. */
const NAME_WITH_NUMBER = /^[A-Za-z][a-z]{2,15}(?:[A-Z][a-z]{1,15}){0,8}(?:\d{1,3}(?:[A-Z][a-z]{1,15}){1,8}){1,4}$/

/** A piece that a person would write: a word with a number after it, a number, or almost nothing. */
const isWordPiece = (piece: string): boolean =>
  /^(?:[A-Za-z]+\d{0,4}|v?\d{1,10}|[A-Za-z0-9]{0,3})$/.test(piece) || NAME_WITH_NUMBER.test(piece)

/** Dotted and dashed words, paths, names of files and versions: `env/cert.p12`, `NEXUS-GPT4-API-KEY`, `rc0.15.0`. */
const isMadeOfWords = (value: string): boolean => value.split(/[-_./\\:@,+=~ ]+/).every(isWordPiece)

/** Digests are written with their name: `sha256:…`, `sha512-…`. A token of OpenShift has a tilde there. */
const isDigest = (value: string): boolean => /^(?:sha\d{1,3}|md5|h1|blake\w{0,3})[-:=]/i.test(value)

/**
 * Whether a value may come from a generator of secrets: enough entropy for its length, a digit, not made of words, not
 * a digest.
 * @param floor bits per character for values of 16 and more; short ones necessarily have fewer
 * @param uuids whether a UUID counts as a secret here
 */
export const looksRandom = (value: string, floor: number, uuids: boolean): boolean => {
  if (UUID.test(value)) return uuids
  if (!/\d/.test(value) || /^[\d.:_/-]+$/.test(value) || isMadeOfWords(value) || isDigest(value)) return false
  const hexadecimal = /^[0-9a-f]+$/i.test(value)
  const needed = hexadecimal || value.length < 16 ? Math.min(floor, 2.8) : floor
  return entropyOf(value) >= needed
}

/**
 * Only letters, in such a mix of upper and lower case as no word, name or abbreviation has: rarely two of a kind in a
 * row, and changes from lower to upper case inside.
 */
export const isShuffled = (value: string): boolean => {
  if (!/^[A-Za-z]{8,512}$/.test(value)) return false
  const words = value.split(/(?=[A-Z])/).length
  const changes = value.match(/[a-z][A-Z]/g)?.length ?? 0
  return changes >= 3 && words * 2.6 >= value.length && entropyOf(value) >= 2.8 && !/[a-z]{6}/.test(value)
}
