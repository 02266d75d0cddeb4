/**
 * What one look at a text shows. Whatever needs more of a character than the text has is skipped before it is entered:
 * most texts are short and plain, and what they cost is the code that is run for them.
 */
export interface Glance {
  /** The kinds of characters in the text, as a set of bits (MARKS). */
  readonly marks: number
  readonly digits: number
  readonly capitals: number
  readonly dashes: number
  readonly quotes: number
  /** Pieces of one character between white space. */
  readonly singles: number
  /** Words of one letter or digit. */
  readonly lone: number
  /** Signs and digits that look like a letter, between two letters. */
  readonly inner: number
  /** The small letters in the text, as a set of bits from `a` on. */
  readonly letters: number
}

/** The bits of `marks`. */
export const MARKS = {
  at: 1,
  backslash: 2,
  percent: 4,
  ampersand: 8,
  caret: 16,
  equals: 32,
  plus: 64,
  colon: 128,
  lineEnd: 256,
  /** The zero byte, or a character beyond ASCII. */
  foreign: 512,
} as const

const SIGNS: Readonly<Record<string, number>> = {
  '@': MARKS.at,
  '\\': MARKS.backslash,
  '%': MARKS.percent,
  '&': MARKS.ampersand,
  '^': MARKS.caret,
  '=': MARKS.equals,
  '+': MARKS.plus,
  ':': MARKS.colon,
  '\n': MARKS.lineEnd,
  '\r': MARKS.lineEnd,
  '\0': MARKS.foreign,
}

const MARK_BITS = 1023
const DIGIT = 10
const CAPITAL = 11
const SMALL = 12
const DASH = 13
const QUOTE = 14
const BLANK = 15
const LOOK_ALIKE = 16
const LETTER = 17
const WORD = 18

const CLASS = Int32Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return (
    (SIGNS[char] ?? 0) |
    (/\d/.test(char) ? 1 << DIGIT : 0) |
    (/[A-Z]/.test(char) ? 1 << CAPITAL : 0) |
    (/[a-z]/.test(char) ? 1 << SMALL : 0) |
    (char === '-' ? 1 << DASH : 0) |
    (/["']/.test(char) ? 1 << QUOTE : 0) |
    (/[ \t\r\n\f\v]/.test(char) ? 1 << BLANK : 0) |
    (/[013457@$!|]/.test(char) ? 1 << LOOK_ALIKE : 0) |
    (/[a-z]/i.test(char) ? 1 << LETTER : 0) |
    (/[a-z\d]/i.test(char) ? 1 << WORD : 0)
  )
})

/** Looks at a text once. Without a branch for each character: half of the time it would be guessed wrong. */
export const glanceAt = (text: string): Glance => {
  const { length } = text
  let marks = 0
  let digits = 0
  let capitals = 0
  let dashes = 0
  let quotes = 0
  let singles = 0
  let lone = 0
  let inner = 0
  let smalls = 0
  // The two characters before.
  let before = 1 << BLANK
  let last = 1 << BLANK
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (CLASS[code] ?? 0) : MARKS.foreign
    marks |= kind
    digits += (kind >> DIGIT) & 1
    capitals += (kind >> CAPITAL) & 1
    dashes += (kind >> DASH) & 1
    quotes += (kind >> QUOTE) & 1
    smalls |= ((kind >> SMALL) & 1) << (code - 97)
    singles += ((before & ~last & kind) >> BLANK) & 1
    lone += ((~before & last & ~kind) >> WORD) & 1
    inner += ((before & kind) >> LETTER) & (last >> LOOK_ALIKE) & 1
    before = last
    last = kind
  }
  singles += ((before & ~last) >> BLANK) & 1
  lone += ((~before & last) >> WORD) & 1
  return { marks: marks & MARK_BITS, digits, capitals, dashes, quotes, singles, lone, inner, letters: smalls }
}

/** The small letters of a word, as a set of bits. */
export const lettersOf = (word: string): number => glanceAt(word).letters

/** A text that may have anything: nothing is skipped. */
export const ANYTHING: Glance = {
  marks: MARK_BITS,
  digits: Infinity,
  capitals: Infinity,
  dashes: Infinity,
  quotes: Infinity,
  singles: Infinity,
  lone: Infinity,
  inner: Infinity,
  letters: -1,
}
