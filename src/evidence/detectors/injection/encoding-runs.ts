import type { Glance } from '../text/glance.ts'

/** A range of a text. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Shorter base64 cannot contain an order. */
const SHORTEST_BASE64 = 24
/** Shorter runs of bytes as well. */
const SHORTEST_HEX = 32
/** Fewer single letters spell no order. */
export const FEWEST_SINGLES = 8

/** Longest runs of the alphabets of encodings in a text: long runs justify a search. */
export interface Runs {
  /** Runs of base64 that are long enough for a sentence. */
  readonly base64: readonly Place[]
  /** Longest run of hexadecimal digits and the separators between pairs of them; 0 where all are short. */
  readonly hex: number
  /** Longest run of single letters; 0 where all are short. */
  readonly singles: number
}

const IN_BASE64 = 1
const IN_HEX = 2
const LETTER = 4

/** Classes of ASCII characters. */
const CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return (
    (/[A-Za-z0-9+/_-]/.test(char) ? IN_BASE64 : 0) |
    (/[0-9A-Fa-fx\\% ,:]/.test(char) ? IN_HEX : 0) |
    (/[A-Za-z0-9]/.test(char) ? LETTER : 0)
  )
})

const isOf = (text: string, at: number, kind: number): boolean => {
  const code = text.charCodeAt(at)
  return code < 128 && ((CLASS[code] ?? 0) & kind) !== 0
}

/**
 * Calls `visit` with each run of at least so many characters of a kind. Such a run holds one of the places that are so
 * far apart: only these are looked at in most texts.
 */
const eachRun = (text: string, kind: number, least: number, visit: (start: number, end: number) => void): void => {
  for (let at = least - 1; at < text.length; at += least) {
    if (!isOf(text, at, kind)) continue
    let start = at
    while (start > 0 && isOf(text, start - 1, kind)) start--
    while (at < text.length && isOf(text, at, kind)) at++
    if (at - start >= least) visit(start, at)
  }
}

/** The longest run of words of one letter or digit. */
const longestSingles = (text: string): number => {
  let longest = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    if (!isOf(text, at, LETTER)) continue
    const start = at
    while (at < text.length && isOf(text, at, LETTER)) at++
    run = at - start === 1 ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}

/** The runs of a text, for all encodings. */
export const runsOf = (text: string, { lone }: Pick<Glance, 'lone'>): Runs => {
  const base64: Place[] = []
  eachRun(text, IN_BASE64, SHORTEST_BASE64, (start, end) => base64.push({ start, end }))
  let hex = 0
  eachRun(text, IN_HEX, SHORTEST_HEX, (start, end) => (hex = Math.max(hex, end - start)))
  return { base64, hex, singles: lone < FEWEST_SINGLES ? 0 : longestSingles(text) }
}
