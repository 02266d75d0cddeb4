/** Reads digits of a power of two, highest first; what is not a digit is left out. */
const readBits = (text: string, values: ReadonlyMap<string, number>, size: number): string => {
  let [bits, held, read] = [0, 0, '']
  for (const sign of text) {
    const value = values.get(sign)
    if (value === undefined) continue
    bits = ((bits << size) | value) & 0xffff
    held += size
    if (held < 8) continue
    held -= 8
    read += String.fromCharCode((bits >> held) & 0xff)
  }
  return read
}

const valuesOf = (alphabet: string): ReadonlyMap<string, number> =>
  new Map(Array.from(alphabet, (sign, value) => [sign, value]))

const BASE32 = [
  'abcdefghijklmnopqrstuvwxyz234567',
  '0123456789abcdefghijklmnopqrstuv',
  '0123456789abcdefghjkmnpqrstvwxyz',
].map(valuesOf)

/** A run decoded as base32: of RFC 4648, with all digits, and Crockford's. Case does not count. */
export const fromBase32 = (run: string): readonly string[] => {
  const folded = run.toLowerCase()
  return BASE32.map((values) => readBits(folded, values, 5))
}

const BIG = [
  '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  '0123456789abcdefghijklmnopqrstuvwxyz',
].map(valuesOf)
/** The work for a number grows with the square of its length. */
const LONGEST_NUMBER = 160

/** A run decoded as one number in base58, base62 or base36. */
export const fromBigNumber = (run: string): readonly string[] => {
  const digits = run.slice(0, LONGEST_NUMBER)
  return BIG.flatMap((values) => {
    let number = 0n
    const base = BigInt(values.size)
    for (const sign of digits) {
      const value = values.get(sign)
      if (value === undefined) return []
      number = number * base + BigInt(value)
    }
    const hex = number.toString(16)
    return [Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('latin1')]
  })
}

const ASCII85 = valuesOf(Array.from({ length: 85 }, (_, value) => String.fromCharCode(33 + value)).join(''))
const RFC1924 = valuesOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~')
const Z85 = valuesOf('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#')

/** Blocks of five digits are four bytes; the last may be shorter. */
const readBlocks = (run: string, values: ReadonlyMap<string, number>): string => {
  let [block, held, read] = [0, 0, '']
  const put = (count: number): void => {
    for (let at = 0; at < count; at++) read += String.fromCharCode(Math.floor(block / 256 ** (3 - at)) & 0xff)
    ;[block, held] = [0, 0]
  }
  for (const sign of run) {
    if (sign === 'z' && held === 0 && values === ASCII85) {
      put(4)
      continue
    }
    const value = values.get(sign)
    if (value === undefined) continue
    block = block * 85 + value
    if (++held === 5) put(4)
  }
  if (held < 2) return read
  const last = held
  for (; held < 5; held++) block = block * 85 + 84
  put(last - 1)
  return read
}

/** A run decoded as base85: Ascii85, RFC 1924 and ZeroMQ, in each alignment, because other characters may precede it. */
export const fromBase85 = (run: string): readonly string[] =>
  [ASCII85, RFC1924, Z85].flatMap((values) =>
    [0, 1, 2, 3, 4].map((skip) =>
      readBlocks(skip === 0 ? run.replace(/^<~/, '').replace(/~>$/, '') : run.slice(skip), values),
    ),
  )
