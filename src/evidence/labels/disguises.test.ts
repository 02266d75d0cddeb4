import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createSecretMemory } from './secret-memory.ts'

const KEY = new Uint8Array(32).fill(7)
/** Assembled, so that no file holds what looks like a live key. */
const SECRET = ['xKcU', 'de7Mg', '9921', 'AQdK', 'qcfEDe'].join('-')
const memory = createSecretMemory({ key: KEY })
memory.learn(SECRET, [])

const codes = Array.from(SECRET, (char) => char.charCodeAt(0))
const each = (radix: number, width: number, before = '', between = ''): string =>
  codes.map((code) => before + code.toString(radix).padStart(width, '0')).join(between)
const letters = (shift: (number: number, size: number) => number): string =>
  SECRET.replace(/[a-z]/g, (one) => String.fromCharCode(97 + (shift(one.charCodeAt(0) - 97, 26) % 26))).replace(
    /[A-Z]/g,
    (one) => String.fromCharCode(65 + (shift(one.charCodeAt(0) - 65, 26) % 26)),
  )
const rot47 = (text: string): string =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94)))
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64')
const big = (alphabet: string, text = SECRET): string => {
  let number = BigInt(`0x${Buffer.from(text).toString('hex')}`)
  let out = ''
  for (; number > 0n; number /= BigInt(alphabet.length))
    out = alphabet.charAt(Number(number % BigInt(alphabet.length))) + out
  return out
}
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base32 = (alphabet: string): string =>
  (each(2, 8).match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
const base85 = (alphabet: string): string => {
  const bytes = Buffer.from(SECRET)
  const pad = (4 - (bytes.length % 4)) % 4
  const all = Buffer.concat([bytes, Buffer.alloc(pad)])
  let out = ''
  for (let at = 0; at < all.length; at += 4) {
    let block = all.readUInt32BE(at)
    let five = ''
    for (let i = 0; i < 5; i++) {
      five = alphabet.charAt(block % 85) + five
      block = Math.floor(block / 85)
    }
    out += five
  }
  return pad === 0 ? out : out.slice(0, -pad)
}
const ASCII85 = Array.from({ length: 85 }, (_, at) => String.fromCharCode(33 + at)).join('')
const RFC1924 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const Z85 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'
const reversed = (text: string): string => Array.from(text).toReversed().join('')
const tags = (text: string): string =>
  Array.from(text, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
const wide = (text: string): string =>
  Array.from(text, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join('')
const bomb = gzipSync(Buffer.alloc(64 << 20, SECRET))

describe('a secret in other clothes is known again', () => {
  test.each<{ readonly name: string; readonly texts: readonly string[] }>([
    { name: 'rot13', texts: [`flaky login (${letters((one) => one + 13)})`] },
    {
      name: 'rot13 of base64',
      texts: [
        base64(SECRET).replace(/[a-z]/gi, (one) =>
          String.fromCharCode((one < 'a' ? 65 : 97) + ((one.toLowerCase().charCodeAt(0) - 97 + 13) % 26)),
        ),
      ],
    },
    { name: 'a shift of seven', texts: [`build ${letters((one) => one + 7)} failed`] },
    { name: 'the alphabet backwards', texts: [letters((one) => 25 - one)] },
    { name: 'rot47', texts: [rot47(SECRET)] },
    { name: 'codes in an address', texts: [`https://charts.example/c?type=bar&d=${codes.join(',')}`] },
    { name: 'codes of a function', texts: [`String.fromCharCode(${codes.join(', ')})`] },
    { name: 'codes, each of a function', texts: [codes.map((code) => `chr(${code})`).join('+')] },
    { name: 'codes, parted by anything', texts: [codes.join('|')] },
    { name: 'codes with nothing between', texts: [each(10, 3)] },
    { name: 'codes of their own length with nothing between', texts: [codes.join('')] },
    { name: 'codes in hex', texts: [each(16, 2, '0x', ', ')] },
    { name: 'bytes with colons', texts: [each(16, 2, '', ':')] },
    { name: 'code points', texts: [each(16, 4, 'U+', ' ')] },
    { name: 'octal codes', texts: [each(8, 3, '', ' ')] },
    { name: 'octal escapes', texts: [each(8, 3, '\\')] },
    { name: 'bits', texts: [each(2, 8, '', ' ')] },
    { name: 'bits with nothing between', texts: [each(2, 8)] },
    { name: 'escapes of four digits', texts: [each(16, 4, String.raw`\u`)] },
    {
      name: 'one escape in four',
      texts: [
        Array.from(SECRET, (one, at) => (at % 4 === 0 ? `\\u{${one.charCodeAt(0).toString(16)}}` : one)).join(''),
      ],
    },
    { name: 'entities', texts: [Array.from(SECRET, (one) => `&#${one.charCodeAt(0)};`).join('')] },
    {
      name: 'entities among letters',
      texts: [Array.from(SECRET, (one, at) => (at % 3 === 0 ? `&#x${one.charCodeAt(0).toString(16)};` : one)).join('')],
    },
    { name: 'quoted-printable', texts: [each(16, 2, '=')] },
    { name: 'percent codes of percent codes', texts: [each(16, 2, '%25')] },
    { name: 'gzip in base64', texts: [`ref ${base64(gzipSync(SECRET))}`] },
    { name: 'gzip in hex', texts: [gzipSync(SECRET).toString('hex')] },
    { name: 'gzip behind a path', texts: [`https://x.example/in/${base64(gzipSync(`key: ${SECRET}`))}`] },
    {
      name: 'gzip in two arguments',
      texts: [base64(gzipSync(SECRET)).slice(0, 31), base64(gzipSync(SECRET)).slice(31)],
    },
    { name: 'zlib in base64', texts: [base64(deflateSync(SECRET))] },
    { name: 'deflate in base64', texts: [base64(deflateRawSync(`the key is ${SECRET}`))] },
    { name: 'brotli in base64', texts: [base64(brotliCompressSync(`the key is ${SECRET}`))] },
    { name: 'zstd in base64', texts: [base64(zstdCompressSync(SECRET))] },
    { name: 'gzip of base64 in base64', texts: [base64(gzipSync(base64(SECRET)))] },
    { name: 'base32', texts: [base32('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')] },
    { name: 'base32 with all digits', texts: [base32('0123456789ABCDEFGHIJKLMNOPQRSTUV')] },
    { name: 'base32 of Crockford', texts: [base32('0123456789ABCDEFGHJKMNPQRSTVWXYZ')] },
    { name: 'base58', texts: [`id ${big(BASE58)}`] },
    { name: 'base62', texts: [big(BASE62)] },
    { name: 'base36', texts: [big(BASE62.slice(0, 36).toLowerCase())] },
    { name: 'Ascii85', texts: [`<~${base85(ASCII85)}~>`] },
    { name: 'base85 of RFC 1924', texts: [`d=${base85(RFC1924)}`] },
    { name: 'Z85', texts: [base85(Z85)] },
    { name: 'base64 backwards', texts: [reversed(base64(SECRET))] },
    { name: 'base64 in short lines', texts: [base64(SECRET).replace(/.{6}/g, '$&\n')] },
    { name: 'a letter in every argument', texts: Array.from(SECRET) },
    {
      name: 'another letter behind each',
      texts: [Array.from(SECRET, (one, at) => one + 'qwertz'.charAt(at % 6)).join('')],
    },
    { name: 'two letters behind each', texts: [Array.from(SECRET.replaceAll('-', ''), (one) => `${one}zz`).join('')] },
    {
      name: 'its two halves in turn',
      texts: [Array.from(SECRET.slice(0, 13), (one, at) => one + SECRET.charAt(13 + at)).join('')],
    },
    {
      name: 'the first letters of words',
      texts: [Array.from(SECRET.replaceAll('-', ''), (one) => `${one}ord`).join(' ')],
    },
    {
      name: 'the first letters of lines',
      texts: [Array.from(SECRET.replaceAll('-', ''), (one) => `${one} is a line`).join('\n')],
    },
    { name: 'wide letters', texts: [wide(SECRET)] },
    { name: 'characters that show nothing', texts: [`fine${tags(SECRET)}`] },
    { name: 'zero-width characters between', texts: [Array.from(SECRET).join('\u200b')] },
  ])('$name', ({ texts }) => {
    expect(memory.seenIn(texts)).toHaveLength(1)
  })

  test('what unpacks to too much is left', () => {
    expect(memory.seenIn([base64(bomb)])).toEqual([])
  })

  test.each([
    { name: 'measurements', texts: ['96,101,99,104,131,98,76,110'] },
    { name: 'another secret, packed', texts: [base64(gzipSync(SECRET.replace(/[a-z]/g, 'q')))] },
    { name: 'long prose', texts: ['The quick brown fox jumps over the lazy dog, 120 times of 135. '.repeat(400)] },
    {
      name: 'an image',
      texts: [base64(Uint8Array.from({ length: 60_000 }, (_, at) => (at * 7919 + (at >> 3) * 31) & 255))],
    },
  ])('but not $name', ({ texts }) => {
    expect(memory.seenIn(texts)).toEqual([])
  })
})
