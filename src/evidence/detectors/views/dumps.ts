import type { Survey } from './survey.ts'
import type { View } from './view.ts'

/** Bytes that a dump needs to be looked at; fewer hold no secret. */
const FEWEST = 10
/** Bytes of all dumps of one text that are looked at. */
const MOST = 1_000_000

/** A character of what a dump shows, with the place in the text that shows it. */
interface Shown {
  readonly code: number
  readonly start: number
  readonly end: number
}

interface Line {
  readonly text: string
  /** Where it begins in the whole text. */
  readonly at: number
}

/** How the words of a line are read as bytes; `undefined` where it is not a line of such a dump. */
type Reading = (line: Line) => readonly Shown[] | undefined

/** The offset that dumps put before a line: `00000010:`, `0000020`, `   0`. */
const OFFSET = /^\s*(?:[\da-f]{5,16}:?(?=\s|$)|[\da-f]{4,16}:(?=\s|$)|\d{1,8}[:\t](?=\s|$))/i

const afterOffset = ({ text }: Line): number => OFFSET.exec(text)?.[0].length ?? 0

const ESCAPES: Readonly<Record<string, number>> = {
  '\\0': 0,
  '\\a': 7,
  '\\b': 8,
  '\\t': 9,
  '\\n': 10,
  '\\v': 11,
  '\\f': 12,
  '\\r': 13,
  '\\\\': 92,
}

/** `od -c`, `hexdump -c`, `od -a`: a character, an escape or a code, and blanks between. */
const CHARACTERS = /^(?:\s+(?:[\x21-\x7e]|\\[0abtnvfr\\]|[0-7]{3}|[a-z]{2,3}\d?))+$/
/** One of their columns, four wide. */
const COLUMN = 4
const IN_COLUMN = /^(?: {3}[\x20-\x7e]| {2}\\[0abtnvfr]| [0-7]{3})$/

/** Whether a line is of such columns; in one that shows a blank nothing stands. */
const inColumns = (rest: string): boolean => {
  const columns = rest.match(/.{1,4}/g) ?? []
  return columns.every((one) => IN_COLUMN.test(one.padEnd(COLUMN)))
}

const characters: Reading = (line) => {
  const from = afterOffset(line)
  const rest = line.text.slice(from)
  if (rest.length > 400 || !/^\s/.test(rest) || !(CHARACTERS.test(rest.trimEnd()) || inColumns(rest))) return undefined
  return [...rest.matchAll(/\\[0abtnvfr\\]|[0-7]{3}|[\x21-\x7e]+/g)].flatMap(({ 0: word, index }): Shown[] => {
    const code =
      ESCAPES[word] ??
      (word.length === 1 ? word.charCodeAt(0) : /^[0-7]{3}$/.test(word) ? Number.parseInt(word, 8) : 32)
    const start = line.at + from + index
    return [{ code, start, end: start + word.length }]
  })
}

/** Words of digits in a row at the start of a line's rest, up to a column of text beside them. */
const WORDS = {
  hex: /^[\s:|]*(?:(?:0x|\\x)?(?:[\da-f]{2}){1,8}(?:[ :,\t]|$|(?=\s))[ ,\t]?)+/i,
  octal: /^[\s:]*(?:(?:[0-7]{6}|[0-7]{3})(?:\s|$))+/,
} as const

const bytesOf = (word: string, radix: 16 | 8, isSwapped: boolean): readonly number[] => {
  if (radix === 8) {
    const value = Number.parseInt(word, 8)
    return word.length === 3 ? [value & 255] : [value & 255, value >> 8]
  }
  const bytes = (word.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
  return isSwapped ? bytes.toReversed() : bytes
}

const words =
  (kind: keyof typeof WORDS, isSwapped: boolean): Reading =>
  (line) => {
    const from = afterOffset(line)
    const found = WORDS[kind].exec(line.text.slice(from, from + 400))?.[0]
    if (found === undefined) return undefined
    const each = kind === 'hex' ? /(?<![\da-f])(?:0x|\\x)?((?:[\da-f]{2})+)(?![\da-f])/gi : /()[0-7]{3,6}/g
    const shown = [...found.matchAll(each)].flatMap(({ 0: whole, 1: digits, index }): Shown[] => {
      const start = line.at + from + index
      // The column of text beside the bytes shows them too.
      const end = line.at + line.text.length
      return bytesOf(digits === '' || digits === undefined ? whole : digits, kind === 'hex' ? 16 : 8, isSwapped).map(
        (code) => ({ code, start, end }),
      )
    })
    return shown.length === 0 ? undefined : shown
  }

const READINGS: readonly Reading[] = [characters, words('hex', false), words('hex', true), words('octal', false)]

const viewOf = (shown: readonly Shown[], asHex: boolean): View => {
  const each = asHex ? 2 : 1
  const text = shown
    .map(({ code }) => (asHex ? code.toString(16).padStart(2, '0') : String.fromCharCode(code)))
    .join('')
  return {
    text,
    origin: (start, end) => {
      const all = shown.slice(Math.floor(start / each), Math.ceil(end / each))
      const [first] = all
      if (first === undefined) return undefined
      let last = first.end
      for (const one of all) last = Math.max(last, one.end)
      return [first.start, last]
    },
  }
}

const linesOf = (text: string, from: number): readonly Line[] => {
  let at = from
  return text.split('\n').map((line) => {
    const start = at
    at += line.length + 1
    return { text: line, at: start }
  })
}

/** Lists of numbers that are bytes, as programs print them: `[66, 101, …]`, `\x42\x65`, `0x42, 0x65`. */
const LISTS: readonly (readonly [list: RegExp, number: RegExp, radix: 16 | 10])[] = [
  [/(?:(?<!\d)\d{1,3}\s{0,8},\s{0,8}){9,4000}\d{1,3}(?!\d)/g, /\d{1,3}/g, 10],
  [/(?:(?:\\x|0x)[\da-f]{2}[\s,]{0,8}){10,4000}/gi, /(?:\\x|0x)([\da-f]{2})/gi, 16],
  [/(?<![\da-z])(?:[\da-f]{2}[ :,-]{1,2}){9,4000}[\da-f]{2}(?![\da-z])/gi, /([\da-f]{2})/gi, 16],
]

const listViews = (text: string, from: number): readonly View[] =>
  LISTS.flatMap(([list, number, radix]) =>
    [...text.matchAll(list)].map(({ 0: found, index }) =>
      viewOf(
        [...found.matchAll(number)].map(({ 0: whole, 1: digits, index: at }) => ({
          code: Number.parseInt(digits ?? whole, radix) & 255,
          start: from + index + at,
          end: from + index + at + whole.length,
        })),
        false,
      ),
    ),
  )

/** Any dump has this: many short words of digits or single characters in a row. */
const LOOKS_DUMPED =
  /(?:[\s:]{1,4}(?:[\da-f]{2}){1,8}){6}|(?:\s[0-7]{3,6}){5}|(?:\s{2,4}(?:[\x21-\x7e]|\\[0abtnvfr])){6}|(?:\d{1,3}\s?,\s{0,8}){9}|(?:[\da-f]{2}[:-]){9}|(?:\\x|0x)[\da-f]{2}/i

/** What the dumps in a part of a text show; the part begins at `from` in the whole. */
const rangeViews = (text: string, from: number, left: { bytes: number }): readonly View[] => {
  if (!LOOKS_DUMPED.test(text)) return []
  const views: View[] = [...listViews(text, from)]
  const lines = linesOf(text, from)
  for (const [at, reading] of READINGS.entries()) {
    let run: Shown[] = []
    const close = (): void => {
      if (run.length >= FEWEST) {
        views.push(viewOf(run, false))
        if (at === 1) views.push(viewOf(run, true))
      }
      run = []
    }
    for (const line of lines) {
      const shown = left.bytes > 0 ? reading(line) : undefined
      if (shown === undefined) {
        close()
        continue
      }
      left.bytes -= shown.length
      for (const one of shown) run.push(one)
    }
    close()
  }
  return views
}

/**
 * What dumps in a text show, as text: bytes as hexadecimal, octal or decimal numbers in columns or lists, characters in
 * columns, with or without offsets and a column of text beside them; bytes also as plain hexadecimal, as keys are kept.
 */
export const dumpViews = (text: string, { dumps }: Pick<Survey, 'dumps'>): readonly View[] => {
  const left = { bytes: MOST }
  const views: View[] = []
  for (let at = 0; at < dumps.length; at += 2) {
    const from = dumps[at] ?? 0
    for (const view of rangeViews(text.slice(from, dumps[at + 1]), from, left)) views.push(view)
  }
  return views
}
