/** Alphabets of made-up secrets. */
export const CHARSETS = {
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  hex: '0123456789abcdef',
  base32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  digits: '0123456789',
  bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
} as const

/**
 * A made-up secret, assembled at run time so that nothing in a file looks like a live key. The same arguments always
 * give the same text.
 */
export const fake = (prefix: string, length: number, charset: keyof typeof CHARSETS = 'alnum', seed = 1): string => {
  const alphabet = CHARSETS[charset]
  let state = seed * 2_654_435_761
  for (let i = 0; i < prefix.length; i++) state = Math.imul(state ^ prefix.charCodeAt(i), 16_777_619)
  let body = ''
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    body += alphabet.charAt((state >>> 8) % alphabet.length)
  }
  return prefix + body
}
