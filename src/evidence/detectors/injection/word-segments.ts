/** Longest segment in words; a longer sentence is read in pieces. */
const SEGMENT_WORDS = 512
/** Windows of a sentence, and their step. */
const WINDOW = 24
const STEP = 12
/** With fewer words (frequent signs count) it is a cell, a key or a heading, not an order. */
const FEWEST_WORDS = 3

/** Tokens outside the vocabulary, by number; the words come after. */
export const TOKEN = { none: 0, unknown: 1, number: 2, address: 3, sign: 4, line: 5, foreign: 6 } as const
/** The number of the first word. */
export const FIRST_WORD = 8

/** The sentence read last: its tokens' numbers and places. */
export interface Segment {
  readonly ids: Int32Array
  readonly start: Int32Array
  readonly end: Int32Array
}

/** Creates a reusable segment. */
export const createSegment = (): Segment => ({
  ids: new Int32Array(SEGMENT_WORDS),
  start: new Int32Array(SEGMENT_WORDS),
  end: new Int32Array(SEGMENT_WORDS),
})

const SEED = 0x811c9dc5
const K = 0x01000193

/** Hash of a word in lower case, as stored in the vocabulary. Never 0. */
export const hashWord = (word: string): number => {
  let hash = SEED
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), K)
  return hash >>> 0 || 1
}

const SLOTS = 1 << 17

/** The number of a word by its hash. */
export interface Vocabulary {
  readonly hashes: Uint32Array
  readonly numbers: Int32Array
}

/** Creates the table of a vocabulary: words by their place in the list, from FIRST_WORD on. */
export const createVocabulary = (hashes: Uint32Array): Vocabulary => {
  const vocabulary = { hashes: new Uint32Array(SLOTS), numbers: new Int32Array(SLOTS) }
  for (const [at, hash] of hashes.entries()) {
    let slot = hash & (SLOTS - 1)
    while (vocabulary.hashes[slot] !== 0 && vocabulary.hashes[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
    if (vocabulary.hashes[slot] === hash) continue
    vocabulary.hashes[slot] = hash
    vocabulary.numbers[slot] = at + FIRST_WORD
  }
  return vocabulary
}

const numberOf = ({ hashes, numbers }: Vocabulary, hash: number): number => {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const known = hashes[slot]
    if (known === hash) return numbers[slot] ?? 0
    if (known === 0) return 0
  }
}

const SPACE = 32
const DIGIT = 48
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 0xc0 && code < 0x2000) ||
  (code >= 0x2c00 && code < 0x3000) ||
  (code >= 0x3040 && code < 0xd800) ||
  (code >= 0xf900 && code < 0xfff0)

/** Ends of sentences without a blank after them, and the border of a cell. */
const ALWAYS_ENDS = new Set(Array.from('|。！？', (char) => char.charCodeAt(0)))
/** Ends of sentences before a blank. */
const MAY_END = new Set(Array.from('.!?', (char) => char.charCodeAt(0)))

const isAddressEnd = (code: number): boolean =>
  code <= SPACE || code === 34 || code === 39 || code === 60 || code === 62 || code === 41 || code === 93 || code === 96

/**
 * Reads a text sentence by sentence and calls `visit` with windows of it: places in `segment`, which contains the
 * sentence until the call returns. Total for any text, linear in its length.
 * @param folding of hashed-features.ts: lower case, wide forms as plain ones, invisible characters as 0
 */
export const eachSegment = (
  text: string,
  vocabulary: Vocabulary,
  folding: Uint16Array,
  segment: Segment,
  visit: (from: number, to: number) => void,
): void => {
  const { ids, start, end } = segment
  const length = text.length
  let count = 0
  let words = 0
  const flush = (): void => {
    if (words >= FEWEST_WORDS)
      for (let from = 0; ; from += STEP) {
        const to = Math.min(count, from + WINDOW)
        visit(from, to)
        if (to >= count) break
      }
    count = 0
    words = 0
  }
  const add = (id: number, from: number, to: number): void => {
    if (id === TOKEN.sign && count > 0 && ids[count - 1] === TOKEN.sign) return
    ids[count] = id
    start[count] = from
    end[count] = to
    count++
    if (id >= FIRST_WORD || id === TOKEN.unknown || id === TOKEN.foreign) words++
    if (count === SEGMENT_WORDS) flush()
  }
  for (let at = 0; at < length;) {
    const raw = text.charCodeAt(at)
    const code = folding[raw] ?? 0
    if (code === SPACE || code === 0) {
      if (raw === 10 && count > 0) flush()
      at++
      continue
    }
    const from = at
    if (isLetter(code)) {
      let hash = SEED
      let foreign = false
      for (; at < length; at++) {
        const letter = folding[text.charCodeAt(at)] ?? 0
        if (letter === 0) continue
        if (!isLetter(letter)) break
        if (letter > 127) foreign = true
        hash = Math.imul(hash ^ letter, K)
      }
      const next = at < length ? text.charCodeAt(at) : 0
      const isAddress =
        (next === 58 && text.startsWith('://', at)) || (next === 64 && isLetter(folding[text.charCodeAt(at + 1)] ?? 0))
      if (isAddress) {
        while (at < length && !isAddressEnd(text.charCodeAt(at))) at++
        add(TOKEN.address, from, at)
        continue
      }
      const known = numberOf(vocabulary, hash >>> 0 || 1)
      add(known === 0 ? (foreign ? TOKEN.foreign : TOKEN.unknown) : known, from, at)
      continue
    }
    at++
    if (code === DIGIT) {
      while (at < length && (folding[text.charCodeAt(at)] ?? 0) === DIGIT) at++
      add(TOKEN.number, from, at)
      continue
    }
    const known = numberOf(vocabulary, Math.imul(SEED ^ code, K) >>> 0 || 1)
    add(known === 0 ? TOKEN.sign : known, from, at)
    if (ALWAYS_ENDS.has(code) || (MAY_END.has(code) && (at >= length || text.charCodeAt(at) <= SPACE))) flush()
  }
  flush()
}
