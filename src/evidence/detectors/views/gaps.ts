import { createAnchorIndex } from '../anchors.ts'
import type { View } from './view.ts'
import { createViewBuilder } from './view.ts'

/** Characters of a token, or of what a line of it begins or ends with. */
const TOKEN = 1
const BLANK = 2
const DIGIT = 4
const UPPER = 8
const LOWER = 16
/** What stands between the parts of a number. */
const JOINT = 32

const CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return (
    (/[A-Za-z0-9_+/=.~-]/.test(char) ? TOKEN : 0) |
    (/[ \t\r\n\f\v]/.test(char) ? BLANK : 0) |
    (/\d/.test(char) ? DIGIT : 0) |
    (/[A-Z]/.test(char) ? UPPER : 0) |
    (/[a-z]/.test(char) ? LOWER : 0) |
    (/[-+().]/.test(char) ? JOINT : 0)
  )
})

const kindAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code < 128 ? (CLASS[code] ?? 0) : 0
}

interface Piece {
  readonly start: number
  readonly end: number
}

/** Blanks on either side of the end of a line. */
const MOST_BLANKS = 16
/** Signs of quoting that a line may begin with. */
const MOST_MARKS = 3

const blanksEnd = (text: string, from: number): number => {
  const most = from + MOST_BLANKS
  let at = from
  while (at < most && (text[at] === ' ' || text[at] === '\t')) at++
  return at
}

/** The end of a line as JSON and code write it. */
const isWrittenBreak = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 92 && /[nrt]/.test(text.charAt(at + 1))

/** Backslashes before the end of a line, which goes on. */
const MOST_SLASHES = 4

/** The end of a line here, also where it is written `\n` or has a backslash before it; the same place where there is none. */
const lineBreakEnd = (text: string, from: number): number => {
  let at = from
  while (at - from < MOST_SLASHES && text[at] === '\\' && !isWrittenBreak(text, at)) at++
  if (text.startsWith(String.raw`\r\n`, at)) return at + 4
  if (isWrittenBreak(text, at)) return at + 2
  if (text[at] === '\r') return text[at + 1] === '\n' ? at + 2 : at + 1
  return text[at] === '\n' ? at + 1 : from
}

/** White space within a token: blanks, the end of a line, blanks and signs of quoting. */
const gapEnd = (text: string, from: number): number => {
  const blank = blanksEnd(text, from)
  const line = lineBreakEnd(text, blank)
  if (line === blank) return blank
  let at = blanksEnd(text, line)
  for (let marks = 0; marks < MOST_MARKS && /[>|#*]/.test(text.charAt(at)); marks++) at = blanksEnd(text, at + 1)
  return at
}

const tokenEnd = (text: string, at: number): number => {
  let end = at
  while (end < text.length && (kindAt(text, end) & TOKEN) !== 0) end++
  return end
}

/** A word as prose has it: letters alone, small ones behind the first. Capitals alone may be of a key. */
const isProse = (text: string, { start, end }: Piece): boolean => {
  const last = (kindAt(text, end - 1) & (UPPER | LOWER)) === 0 ? end - 1 : end
  if (last - start < 2) return false
  for (let at = start + 1; at < last; at++) if ((kindAt(text, at) & LOWER) === 0) return false
  return (kindAt(text, start) & (UPPER | LOWER)) !== 0
}

const isCapitals = (text: string, { start, end }: Piece): boolean => {
  for (let at = start; at < end; at++) if ((kindAt(text, at) & UPPER) === 0) return false
  return true
}

/** What is shown before and behind, for the words that say what it is and for the edges. */
const BEFORE = 80
const BEHIND = 12

/** The text around these pieces with what is between them left out; what is found has to lie in them. */
const joined = (text: string, pieces: readonly Piece[]): View => {
  const view = createViewBuilder(text)
  const first = pieces[0]?.start ?? 0
  const last = pieces.at(-1)?.end ?? 0
  view.keep(Math.max(0, first - BEFORE), first)
  for (const { start, end } of pieces) view.keep(start, end)
  view.keep(last, Math.min(text.length, last + BEHIND))
  const { text: read, origin } = view.done()
  return {
    text: read,
    origin: (start, end) => {
      const range = origin(start, end)
      return range === undefined || range[0] < first || range[1] > last ? undefined : range
    },
  }
}

/** Pieces of one token at most; more only where each is a single character. */
const MOST_PIECES = 64
const LONGEST_TOKEN = 2_048
/** Ends of a token that are tried. */
const MOST_ENDS = 6

/** The pieces of a token from here on, over gaps, up to where prose goes on. */
const piecesFrom = (text: string, from: number): readonly Piece[] => {
  const pieces: Piece[] = []
  let length = 0
  for (let at = from; pieces.length < MOST_PIECES && length < LONGEST_TOKEN;) {
    const end = tokenEnd(text, at)
    if (end === at) break
    const piece = { start: at, end }
    const last = pieces.at(-1)
    // One word may be part of a token by chance; two are a sentence.
    if (pieces.length > 1 && last !== undefined && isProse(text, piece) && isProse(text, last)) {
      pieces.pop()
      break
    }
    pieces.push(piece)
    length += end - at
    const next = gapEnd(text, end)
    if (next === end) break
    at = next
  }
  return pieces
}

/** Where the token may end: before each word, and at the last piece. The nearest first. */
const endsOf = (text: string, pieces: readonly Piece[]): readonly number[] => {
  const ends: number[] = []
  for (let count = 2; count < pieces.length && ends.length < MOST_ENDS; count++) {
    const next = pieces[count]
    if (next !== undefined && (isProse(text, next) || isCapitals(text, next))) ends.push(count)
  }
  return [...ends, pieces.length]
}

/** Part of the letters of a joined token that may lie in words: chance makes some. */
const MOST_PROSE = 0.5

/** Whether pieces look like parts of a token and not like words, so that joining them is no mistake. */
const isTorn = (text: string, pieces: readonly Piece[]): boolean => {
  let prose = 0
  let all = 0
  for (const piece of pieces.slice(1)) {
    all += piece.end - piece.start
    if (isProse(text, piece)) prose += piece.end - piece.start
  }
  return all > 0 && prose <= all * MOST_PROSE
}

/** The same text with nothing left out: a token that is whole by itself goes on nowhere. */
const whole = (text: string, { start, end }: Piece): View => {
  const from = Math.max(0, start - BEFORE)
  return {
    text: text.slice(from, Math.min(text.length, end + BEHIND)),
    origin: () => undefined,
    settles: (at) => at >= start - from && at < end - from,
  }
}

/** The token that begins with the form of a key and has gaps in it, by each end that it may have. */
const tornView = (text: string, at: number): View | undefined => {
  const pieces = piecesFrom(text, at)
  const [first] = pieces
  if (first === undefined || pieces.length < 2) return undefined
  const torn = endsOf(text, pieces)
    .map((count) => pieces.slice(0, count))
    .filter((some) => isTorn(text, some))
    .map((some) => joined(text, some))
  if (torn.length === 0) return undefined
  return [whole(text, first), ...torn].toReversed().reduce((otherwise, view) => ({ ...view, otherwise }))
}

const FEWEST_SINGLES = 8
/** Digits of the shortest and the longest number that is joined. */
const FEWEST_DIGITS = 9
const MOST_DIGITS = 34

/** Reads the gaps of a text once. */
interface Reading {
  readonly views: View[]
  /** Single characters in a row, with the gaps between. */
  singles: Piece[]
  /** Parts of a number in a row. */
  parts: Piece[]
  /** Pieces of one length in a row. */
  row: Piece[]
  /** The last piece of a line and those that are alone on the next lines; the first that holds an `@`. */
  lines: Piece[]
  holder: Piece | undefined
  digits: number
  uppers: number
}

/** A row of single characters; where some gaps are wider those part words. */
const closeSingles = (text: string, reading: Reading): void => {
  const { singles } = reading
  reading.singles = []
  if (singles.length < FEWEST_SINGLES) return
  const gaps = singles.slice(1).map(({ start }, at) => start - (singles[at]?.end ?? start))
  const narrow = Math.min(...gaps)
  const view = createViewBuilder(text)
  for (const [at, { start, end }] of singles.entries()) {
    const wide = at > 0 && (gaps[at - 1] ?? 0) > narrow
    if (wide) view.keep(start - 1, end)
    else view.keep(start, end)
  }
  reading.views.push(view.done())
}

const closeParts = (text: string, reading: Reading): void => {
  const { parts, digits, uppers } = reading
  reading.parts = []
  reading.digits = 0
  reading.uppers = 0
  if (parts.length < 2 || digits < FEWEST_DIGITS || digits + uppers > MOST_DIGITS) return
  reading.views.push(joined(text, parts))
}

/** A part of a number: digits, capitals and what stands between, from the last other character on. */
const partOf = (
  text: string,
  piece: Piece,
): { readonly part: Piece; readonly digits: number; readonly uppers: number } => {
  let digits = 0
  let uppers = 0
  let start = piece.end
  while (start > piece.start) {
    const kind = kindAt(text, start - 1)
    if ((kind & (DIGIT | UPPER | JOINT)) === 0) break
    if ((kind & DIGIT) !== 0) digits++
    if ((kind & UPPER) !== 0) uppers++
    start--
  }
  return { part: { start, end: piece.end }, digits, uppers }
}

/** The beginning of a piece that may be the last part of a number: what follows it is no part. */
const headOf = (text: string, { start, end }: Piece): { readonly part: Piece; readonly digits: number } => {
  let digits = 0
  let at = start
  while (at < end && (kindAt(text, at) & (DIGIT | UPPER | JOINT)) !== 0) {
    if ((kindAt(text, at) & DIGIT) !== 0) digits++
    at++
  }
  return { part: { start, end: at }, digits }
}

const takePart = (text: string, piece: Piece, reading: Reading): void => {
  const { part, digits, uppers } = partOf(text, piece)
  const isWhole = part.start === piece.start
  if (!isWhole) {
    // A sign ends the number, and another may begin behind it.
    const head = headOf(text, piece)
    if (head.digits > 0 && reading.parts.length > 0) {
      reading.parts.push(head.part)
      reading.digits += head.digits
    }
    closeParts(text, reading)
  }
  const isPart = part.end > part.start && (digits > 0 || uppers <= 2) && uppers <= 30
  if (!isPart) return closeParts(text, reading)
  // Capitals alone are a country or a word: only the first part may be that.
  if (digits === 0 && uppers > 0 && reading.parts.length > 0) closeParts(text, reading)
  reading.parts.push(part)
  reading.digits += digits
  reading.uppers += uppers
  if (reading.digits + reading.uppers > MOST_DIGITS * 4) closeParts(text, reading)
}

/** Rows of pieces of one length, as a program that wraps or groups makes them: the last may be shorter. */
const FEWEST_EQUAL = 3
const LONGEST_EQUAL = 80

const closeRow = (text: string, reading: Reading, last?: Piece): void => {
  const { row } = reading
  reading.row = []
  if (row.length < FEWEST_EQUAL) return
  const length = (row[0]?.end ?? 0) - (row[0]?.start ?? 0)
  const isLast = last !== undefined && last.end - last.start < length
  const isMore = isLast && isProse(text, last)
  if (isLast)
    reading.views.push({ ...joined(text, [...row, last]), ...(isMore ? { otherwise: joined(text, row) } : {}) })
  else reading.views.push(joined(text, row))
}

/** Words are of one length by chance; rows of them are let go where they are all prose. */
const takeEqual = (text: string, piece: Piece, reading: Reading): void => {
  const length = piece.end - piece.start
  const [first] = reading.row
  const isEqual = first !== undefined && first.end - first.start === length
  if (!isEqual) closeRow(text, reading, piece)
  if (length >= 2 && length <= LONGEST_EQUAL && reading.row.length < MOST_PIECES) reading.row.push(piece)
}

/** A character by itself, or one that only a sign holds: the first and the last of a row stand in quotes. */
const takeSingle = (text: string, piece: Piece, reading: Reading): void => {
  const { start, end } = piece
  if (end - start === 1) {
    reading.singles.push(piece)
    return
  }
  if (reading.singles.length > 0) {
    if (isWordAt(text, start) && !isWordAt(text, start + 1)) reading.singles.push({ start, end: start + 1 })
    closeSingles(text, reading)
  }
  if (isWordAt(text, end - 1) && !isWordAt(text, end - 2)) reading.singles.push({ start: end - 1, end })
}

const isWordAt = (text: string, at: number): boolean => (kindAt(text, at) & (UPPER | LOWER | DIGIT)) !== 0

/** Lines over which one address may go. */
const MOST_LINES = 4

/** What stands at the end of one line and alone on the next ones, where an address may go over it. */
const closeLines = (text: string, reading: Reading): void => {
  const { lines, holder } = reading
  reading.lines = []
  reading.holder = undefined
  const last = lines.at(-1)
  if (holder === undefined || last === undefined || lines.length < 2) return
  const shorter = lines.length > 2 && isProse(text, last) ? { otherwise: joined(text, lines.slice(0, -1)) } : {}
  reading.views.push({ ...whole(text, holder), otherwise: { ...joined(text, lines), ...shorter } })
}

const takeLine = (
  text: string,
  { piece, isLineStart, holdsAt }: { readonly piece: Piece; readonly isLineStart: boolean; readonly holdsAt: boolean },
  reading: Reading,
): void => {
  const goesOn = isLineStart && reading.lines.length > 0 && reading.lines.length < MOST_LINES
  if (!goesOn) closeLines(text, reading)
  reading.lines.push(piece)
  if (holdsAt) reading.holder ??= piece
}

const isMark = (text: string, at: number): boolean => /[>|#*]/.test(text.charAt(at))

/** A line that goes on ends in a backslash, and one that is quoted begins with a mark: neither is of the value. */
const trimmed = (text: string, start: number, end: number): Piece => {
  let stop = end
  const isBroken = text[end] === '\n' || text[end] === '\r' || isWrittenBreak(text, end)
  while (isBroken && stop > start && text[stop - 1] === '\\') stop--
  return { start, end: stop }
}

/** Rows of single characters, of pieces of one length and of parts of numbers. */
const rowViews = (text: string): readonly View[] => {
  const reading: Reading = {
    views: [],
    singles: [],
    parts: [],
    row: [],
    lines: [],
    holder: undefined,
    digits: 0,
    uppers: 0,
  }
  let isLineStart = true
  for (let at = 0; at < text.length;) {
    const isBreak = isWrittenBreak(text, at)
    if (isBreak || (kindAt(text, at) & BLANK) !== 0) {
      if (isBreak || text[at] === '\n') isLineStart = true
      at += isBreak ? 2 : 1
      continue
    }
    const start = at
    let holdsDigit = false
    let holdsAt = false
    for (; at < text.length; at++) {
      const kind = kindAt(text, at)
      if ((kind & BLANK) !== 0 || isWrittenBreak(text, at)) break
      if ((kind & (DIGIT | UPPER)) !== 0) holdsDigit = true
      else if (text.charCodeAt(at) === 0x40) holdsAt = true
    }
    const piece = trimmed(text, start, at)
    const isSingle = piece.end - start === 1
    if (isLineStart && isSingle && isMark(text, start)) continue
    takeSingle(text, piece, reading)
    takeEqual(text, piece, reading)
    takeLine(text, { piece, isLineStart, holdsAt }, reading)
    if (holdsDigit || isSingle) takePart(text, piece, reading)
    else if (reading.parts.length > 0) closeParts(text, reading)
    isLineStart = false
  }
  closeSingles(text, reading)
  closeLines(text, reading)
  closeRow(text, reading)
  closeParts(text, reading)
  return reading.views
}

/**
 * Makes the search for values with white space or the ends of lines in them: keys by the beginning of their form,
 * numbers, and whatever is spelt a character at a time.
 * @param anchors what keys begin with
 */
export const createGapViews = (anchors: readonly string[]): ((text: string) => readonly View[]) => {
  const index = createAnchorIndex(anchors)
  return (text) => {
    const views: View[] = [...rowViews(text)]
    let seen = 0
    index.eachOverGaps(text, (_, at, end) => {
      if (at < seen || (at > 0 && (kindAt(text, at - 1) & (UPPER | LOWER | DIGIT)) !== 0)) return
      const view = tornView(text, at)
      if (view === undefined) return
      views.push(view)
      seen = end
    })
    return views
  }
}
