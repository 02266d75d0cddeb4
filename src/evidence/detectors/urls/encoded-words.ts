/** Shorter ones are ids that happen to decode. */
const SHORTEST = 16
/** Text with so many words was written by a person and encoded for transport. */
const FEWEST_WORDS = 4

const fromHex = (run: string): string => run.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))

const fromBase64 = (run: string): string => {
  const plain = run
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  try {
    return atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0)))
  } catch {
    return ''
  }
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

const fromBase32 = (run: string): string => {
  let bits = 0
  let pending = 0
  let text = ''
  for (const sign of run.toLowerCase()) {
    bits = ((bits << 5) | BASE32.indexOf(sign)) & 0xfff
    pending += 5
    if (pending < 8) continue
    pending -= 8
    text += String.fromCharCode((bits >> pending) & 0xff)
  }
  return text
}

/** Minimum share of letters, digits and spaces. */
const PLAIN_SHARE = 0.7

/** Words separated by white space: ids, cursors and signatures do not decode to them. */
const isWritten = (text: string): boolean => {
  if (!/^[\t\n\r\x20-\x7e\x80-\xff]*$/.test(text) || !/\S\s\S/.test(text)) return false
  if (text.replaceAll(/[^A-Za-z0-9 ]/g, '').length < text.length * PLAIN_SHARE) return false
  const words = text.split(/[\s,;:=&"'{}()[\]]+/).filter((word) => /^[A-Za-z\d._@/-]{2,40}$/.test(word))
  return words.length >= FEWEST_WORDS
}

const HEX = /^(?:[0-9a-f]{2})+$/i
const THIRTY_TWO = /^[a-z2-7]+$/i
const SIXTY_FOUR = /^[\w+/-]+={0,2}$/

/** Patterns of this file, for the test of their cost. */
export const ENCODED_PATTERNS: readonly RegExp[] = [HEX, THIRTY_TWO, SIXTY_FOUR]

/** Whether a value is text in base64, base32 or hexadecimal; random values are not, however dense. */
export const isEncodedText = (value: string): boolean => {
  if (value.length < SHORTEST) return false
  if (HEX.test(value)) return isWritten(fromHex(value))
  return (
    (THIRTY_TWO.test(value) && isWritten(fromBase32(value))) || (SIXTY_FOUR.test(value) && isWritten(fromBase64(value)))
  )
}
