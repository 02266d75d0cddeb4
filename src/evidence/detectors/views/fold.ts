import { invisibleAt, widthAt } from '../text/invisible-characters.ts'
import type { Change } from './changes.ts'
import { isCombining, signBetween, styledAs, twinOf } from './letters.ts'

/** What no plain English text has; looking for the first is quicker than looking at each. */
const FOREIGN = /[\0\u0080-\uffff]/

/** Longer words are looked at in parts. */
const LONGEST_WORD = 512
/** So many letters of another script, each of which passes for a Latin one, are no word of it. */
const PURE = 10

const isPrinted = (code: number): boolean => code > 32 && code < 127
const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95

/** Whether a character shows nothing by itself and may stand inside a word without changing it. */
const isUnseen = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xad && (isCombining(code) || invisibleAt(text, at) !== undefined)
}

/** The end of what shows nothing from here on. */
const unseenEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isUnseen(text, at)) at += widthAt(text, at)
  return at
}

const codeAt = (text: string, at: number): number => text.codePointAt(at) ?? -1

/** What a character reads as in the company of ASCII: itself, what it is a style of or passes for, or -1. */
const readAs = (code: number): number => {
  if (code < 128) return code
  const plain = styledAs(code) ?? twinOf(code)
  return plain?.charCodeAt(0) ?? -1
}

const isLetter = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x2af && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x370 && code <= 0x58f) ||
  (code >= 0x13a0 && code <= 0x13ff) ||
  (code >= 0x1d00 && code <= 0x1dbf) ||
  (code >= 0x2170 && code <= 0x217f) ||
  (code >= 0xa4d0 && code <= 0xa4ff) ||
  (code >= 0xa720 && code <= 0xa7ff)

/** How far back a word begins. */
const wordStart = (text: string, at: number, least: number): number => {
  let start = at
  while (start > least && at - start < LONGEST_WORD && isWord(text.charCodeAt(start - 1))) start--
  return start
}

/** Reads a text once, for all characters beyond ASCII together. */
interface Folding {
  readonly changes: Change[]
  /** Up to here nothing is looked at again. */
  at: number
}

/**
 * A word with letters of another script: where each of them passes for a Latin one and some are Latin, or there are very
 * many, it reads as it looks. Words of that script, and of two, have letters that pass for nothing.
 */
const foldWord = (text: string, folding: Folding): void => {
  const from = folding.at
  const found: Change[] = []
  let latin = from - wordStart(text, from, folding.changes.at(-1)?.to ?? 0)
  // What is joined to a word that reads so belongs to it: `аnna@сох.de`.
  if (/[.@_-]/.test(text.charAt(from - 1)) && isWord(before(text, from - 1, folding))) latin++
  let isReadable = true
  let at = from
  while (at < text.length && at - from < LONGEST_WORD) {
    const code = codeAt(text, at)
    const width = code > 0xffff ? 2 : 1
    if (isWord(code)) latin++
    else if (isUnseen(text, at)) {
      const end = unseenEnd(text, at)
      if (isWord(readAs(codeAt(text, end)))) found.push({ from: at, to: end, read: '' })
      at = end
      continue
    } else {
      const styled = styledAs(code)
      if (styled === undefined && !isLetter(code)) break
      const read = styled ?? twinOf(code)
      if (styled !== undefined) latin++
      if (read === undefined) isReadable = false
      else found.push({ from: at, to: at + width, read })
    }
    at += width
  }
  folding.at = Math.max(at, from + 1)
  if (isReadable && (latin > 0 || found.length >= PURE)) folding.changes.push(...found)
}

/** Zero bytes behind or before each letter, one or three: UTF-16 or UTF-32 that was taken for single bytes. */
const foldZeros = (text: string, folding: Folding): void => {
  const from = folding.at
  let end = from
  while (text.charCodeAt(end) === 0) end++
  const width = end - from
  folding.at = end
  if (width !== 1 && width !== 3) return
  const isRow = text.charCodeAt(end + 1) === 0 || text.charCodeAt(from - 2) === 0
  if (isRow) folding.changes.push({ from, to: end, read: '' })
}

/** What stands before a place, as it reads: what was folded there, or the character itself. */
const before = (text: string, at: number, { changes }: Folding): number => {
  for (let number = changes.length - 1, place = at; number >= 0; number--) {
    const last = changes[number]
    if (last?.to !== place) return text.charCodeAt(place - 1)
    if (last.read !== '') return last.read.charCodeAt(0)
    place = last.from
  }
  return at === 0 ? -1 : text.charCodeAt(at - 1)
}

const foldUnseen = (text: string, folding: Folding): void => {
  const from = folding.at
  const to = unseenEnd(text, from)
  folding.at = to
  const previous = before(text, from, folding)
  const next = to < text.length ? readAs(codeAt(text, to)) : -1
  // A mark is set under a blank as well.
  const isBefore = isPrinted(next) || (next === 32 && isCombining(text.charCodeAt(from)))
  if ((previous === 32 || isPrinted(previous)) && isBefore) folding.changes.push({ from, to, read: '' })
}

/** Wide signs end sentences in East Asian writing: they count between what is ASCII, and others beside it. */
const isSignOfToken = (text: string, sign: string, folding: Folding): boolean => {
  const { at } = folding
  const next = at < text.length ? readAs(codeAt(text, at)) : -1
  const start = at - (text.charCodeAt(at - 1) >= 0xdc00 && text.charCodeAt(at - 1) <= 0xdfff ? 2 : 1)
  const previous = before(text, start, folding)
  return /[,.:;!?()]/.test(sign) ? isPrinted(previous) && isPrinted(next) : isPrinted(previous) || isPrinted(next)
}

const foldAt = (text: string, folding: Folding): void => {
  const { at } = folding
  const code = codeAt(text, at)
  const to = at + (code > 0xffff ? 2 : 1)
  if (code === 0) return foldZeros(text, folding)
  if (isUnseen(text, at)) return foldUnseen(text, folding)
  if (isLetter(code)) return foldWord(text, folding)
  folding.at = to
  const styled = styledAs(code)
  if (styled !== undefined) {
    if (isWord(styled.charCodeAt(0)) || isSignOfToken(text, styled, folding))
      folding.changes.push({ from: at, to, read: styled })
    return
  }
  const next = codeAt(text, unseenEnd(text, to))
  const sign = signBetween(text.charAt(at), before(text, at, folding), next < 0 ? -1 : readAs(next))
  if (sign !== undefined) folding.changes.push({ from: at, to, read: sign })
}

/**
 * Characters of a text that a model reads as others, or reads over: zero bytes of UTF-16, what shows nothing, wide and
 * styled letters, digits of other scripts, letters and signs that look like those of ASCII.
 */
export const foldChanges = (text: string): readonly Change[] => {
  const first = text.search(FOREIGN)
  if (first === -1) return []
  const folding: Folding = { changes: [], at: first }
  for (let at = first; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code !== 0 && code < 128) {
      at++
      continue
    }
    folding.at = at
    foldAt(text, folding)
    at = folding.at
  }
  return folding.changes
}
