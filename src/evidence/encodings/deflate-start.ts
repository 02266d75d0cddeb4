/** Reads the bits of a deflate stream, the lowest of each byte first; behind the end `undefined`. */
const createBits = (bytes: Uint8Array) => {
  let at = 0
  const bit = (): number | undefined => {
    const byte = bytes[at >> 3]
    return byte === undefined ? undefined : (byte >> (at++ & 7)) & 1
  }
  const read = (count: number, isCode: boolean): number | undefined => {
    let number = 0
    for (let place = 0; place < count; place++) {
      const next = bit()
      if (next === undefined) return undefined
      number = isCode ? number * 2 + next : number | (next << place)
    }
    return number
  }
  return {
    number: (count: number) => read(count, false),
    /** Bits of a Huffman code, which comes with its highest first. */
    code: (count: number) => read(count, true),
  }
}
type Bits = ReturnType<typeof createBits>

const LONGEST_CODE = 7

/** Whether the codes of a block with its own are complete: the lengths of the codes for their lengths (RFC 1951, 3.2.7). */
const hasCodes = ({ number }: Bits): boolean => {
  const [literals = 0, distances = 0, lengths] = [number(5), number(5), number(4)]
  if (lengths === undefined || literals > 29 || distances > 29) return false
  let filled = 0
  for (let left = lengths + 4; left > 0; left--) {
    const length = number(3)
    if (length === undefined) return false
    if (length > 0) filled += 1 << (LONGEST_CODE - length)
  }
  return filled === 1 << LONGEST_CODE
}

const END = 256
const LAST_LENGTH = 285
const LAST_DISTANCE = 29

/** The next symbol by the fixed codes (RFC 1951, 3.2.6). */
const fixedSymbol = ({ code }: Bits): number | undefined => {
  const seven = code(7)
  if (seven === undefined) return undefined
  if (seven < 24) return END + seven
  const eighth = code(1)
  if (eighth === undefined) return undefined
  const eight = seven * 2 + eighth
  if (eight < 192) return eight - 48
  if (eight < 200) return 280 + eight - 192
  const ninth = code(1)
  return ninth === undefined ? undefined : 144 + eight * 2 + ninth - 400
}

/** How far back the first repetition reaches that begins with this symbol; `undefined` where the bytes end before. */
const distanceAfter = (symbol: number, { number, code }: Bits): number | undefined => {
  const more = symbol < 265 || symbol === LAST_LENGTH ? 0 : (symbol - 261) >> 2
  const far = number(more) === undefined ? undefined : code(5)
  if (far === undefined) return undefined
  if (far > LAST_DISTANCE) return Infinity
  if (far < 4) return far + 1
  const extra = (far >> 1) - 1
  const rest = number(extra)
  return rest === undefined ? undefined : ((2 + (far & 1)) << extra) + 1 + rest
}

/** Whether the first repetition of a block by the fixed codes repeats what was there. */
const repeatsKnown = (bits: Bits): boolean => {
  for (let written = 0; ; written++) {
    const symbol = fixedSymbol(bits)
    if (symbol === undefined || symbol === END) return true
    if (symbol > LAST_LENGTH) return false
    if (symbol > END) return (distanceAfter(symbol, bits) ?? 0) <= written
  }
}

/** Whether a stored block begins here: its length occurs twice, the second time inverted (RFC 1951, 3.2.4). */
const isStored = ([, low = 0, high = 0, invertedLow = 0, invertedHigh = 0]: Uint8Array): boolean =>
  (low ^ invertedLow) === 0xff && (high ^ invertedHigh) === 0xff

/**
 * Whether bytes may be deflate, by the beginning of their first block. Others cannot be unpacked: to see that here costs a
 * hundredth of the attempt.
 */
export const mayBeDeflate = (bytes: Uint8Array): boolean => {
  const bits = createBits(bytes)
  bits.number(1)
  const type = bits.number(2)
  if (type === 0) return isStored(bytes)
  return type === 2 ? hasCodes(bits) : type === 1 && repeatsKnown(bits)
}
