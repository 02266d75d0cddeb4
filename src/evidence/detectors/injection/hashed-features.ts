/** Features of one part of a text: hashed n-grams, grouped by the unit (about a word) in which they end. */
export interface FeatureBlock {
  /** Bins of all n-grams, in text order. */
  readonly bins: Uint32Array
  /** For each unit, the end of its bins. */
  readonly binEnd: Int32Array
  /** For each unit, its start in the text. */
  readonly start: Int32Array
  readonly end: Int32Array
  /** Number of units in this block. */
  units: number
  /** Start of the next block; the length of the text at its end. */
  next: number
}

/** Units of a block; it bounds the memory for any text. */
const BLOCK_UNITS = 1024
/** Longer words count as several, so that a text is never one endless word. */
const UNIT_CHARS = 24
const BINS = BLOCK_UNITS * ((UNIT_CHARS + 2) * 3 + 3)

/** Creates a reusable block. */
export const createFeatureBlock = (): FeatureBlock => ({
  bins: new Uint32Array(BINS),
  binEnd: new Int32Array(BLOCK_UNITS),
  start: new Int32Array(BLOCK_UNITS),
  end: new Int32Array(BLOCK_UNITS),
  units: 0,
  next: 0,
})

const SPACE = 32
const ZERO = 48
/** From here on, each letter is a unit of its own (CJK, kana, hangul). */
const FIRST_IDEOGRAPH = 0x2e80

const foldOf = (code: number): number => {
  const char = String.fromCharCode(code)
  if (/\s/u.test(char)) return SPACE
  if (/\p{Nd}/u.test(char)) return ZERO
  // Joiners, soft hyphens and similar hide in words and are invisible to a model, which reads the parts as one.
  if (/[\p{Cf}\p{Cc}]/u.test(char)) return 0
  const plain = char.normalize('NFKC').toLowerCase()
  return plain.length === 1 ? plain.charCodeAt(0) : code
}

/** The reading of every UTF-16 code unit: lower case, wide forms as plain ones, digits alike, white space alike. */
export const createFolding = (): Uint16Array => {
  const folding = new Uint16Array(0x10000)
  for (let code = 0; code < folding.length; code++) folding[code] = code
  const ranges = [
    [0, 0x600],
    [0x660, 0x66a],
    [0x2000, 0x2100],
    [0x3000, 0x3001],
    [0xfeff, 0xffef],
  ] as const
  for (const [from, to] of ranges) for (let code = from; code < to; code++) folding[code] = foldOf(code)
  return folding
}

const K = 0x01000193
const K3 = Math.imul(Math.imul(K, K), K)
const K4 = Math.imul(K3, K)
const MIX = 0x9e3779b1

const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || code === ZERO || code > 0xbf || (code >= 0xaa && code <= 0xba)

/**
 * Reads a text from `from` until the block is full: character 3- to 5-grams and word 1- to 3-grams, hashed into
 * 2^`bits` bins. Total for any text, linear in its length.
 */
export const readFeatures = (
  text: string,
  from: number,
  bits: number,
  folding: Uint16Array,
  block: FeatureBlock,
): void => {
  const { bins, binEnd, start, end } = block
  const shift = 32 - bits
  const length = text.length
  let count = 0
  let units = 0
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let last = SPACE
  let repeated = 0
  let word = 0
  let sign = 0
  let previous = 0
  let beforePrevious = 0
  let chars = 0
  let unitStart = from
  let at = from
  let filled = 1
  for (; at <= length; at++) {
    const code = at < length ? (folding[text.charCodeAt(at)] ?? 0) : SPACE
    if (code === 0) continue
    repeated = code === last ? repeated + 1 : 0
    const isSpace = code === SPACE
    // Repeated blanks count once, other repeated signs three times.
    if (repeated > (isSpace ? 0 : 2)) continue
    if (!isSpace) {
      if (chars === 0) unitStart = at
      chars++
      if (isWordCode(code)) word = Math.imul(word ^ code, K) + 1
      else sign = Math.imul(sign ^ code, K) + 1
    }
    last = code
    const three = Math.imul(Math.imul(c, K) + d, K) + code
    const four = Math.imul(b, K3) + three
    const five = Math.imul(a, K4) + four
    if (filled >= 3) bins[count++] = Math.imul(three ^ 0x3a5, MIX) >>> shift
    if (filled >= 4) bins[count++] = Math.imul(four ^ 0x4b1, MIX) >>> shift
    if (filled >= 5) bins[count++] = Math.imul(five ^ 0x5c7, MIX) >>> shift
    filled++
    a = b
    b = c
    c = d
    d = code
    if (chars === 0 || (!isSpace && chars < UNIT_CHARS && code < FIRST_IDEOGRAPH)) continue
    const hash = word === 0 ? sign ^ 0x77 : word
    bins[count++] = Math.imul(hash ^ 0x1d3, MIX) >>> shift
    if (previous !== 0) {
      const two = Math.imul(previous, K) + hash
      bins[count++] = Math.imul(two ^ 0x2e9, MIX) >>> shift
      if (beforePrevious !== 0) bins[count++] = Math.imul((Math.imul(beforePrevious, K3) + two) ^ 0x6f5, MIX) >>> shift
    }
    beforePrevious = previous
    previous = hash
    start[units] = unitStart
    end[units] = isSpace ? lastEnd(text, at, unitStart, folding) : at + 1
    binEnd[units] = count
    units++
    word = 0
    sign = 0
    chars = 0
    if (units === BLOCK_UNITS) {
      at++
      break
    }
  }
  block.units = units
  block.next = Math.min(at, length)
}

/** End of the unit before a blank at `at`, without skipped characters. */
const lastEnd = (text: string, at: number, unitStart: number, folding: Uint16Array): number => {
  let end = at
  while (end > unitStart + 1 && (folding[text.charCodeAt(end - 1)] ?? 0) === 0) end--
  return end
}
