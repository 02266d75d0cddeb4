import { invisibleAt, widthAt } from './invisible-characters.ts'

/** The text in invisible characters, and its place. */
export interface Revealed {
  readonly text: string
  readonly start: number
  readonly end: number
}

const UTF8 = new TextDecoder()

/** Tag characters are shifted ASCII. */
const tagText = (run: string): string => {
  let decoded = ''
  for (let at = 0; at < run.length; at += widthAt(run, at)) {
    const code = (run.codePointAt(at) ?? 0) - 0xe0000
    if (code >= 0x20 && code < 0x7f) decoded += String.fromCharCode(code)
  }
  return decoded
}

/** The 256 selectors are the 256 bytes of a UTF-8 text. */
const selectorText = (run: string): string => {
  const bytes = Array.from(run, (char) => {
    const code = char.codePointAt(0) ?? 0
    return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00
  }).filter((byte) => byte >= 0 && byte < 256)
  return UTF8.decode(Uint8Array.from(bytes))
}

/** Two kinds of zero-width characters as bits: the first code point in the table order is 0, eight bits a byte. */
const bitText = (run: string): string => {
  if (run.length < 8) return ''
  const kinds = [...new Set(run)].toSorted()
  if (kinds.length < 2 || kinds.length > 3) return ''
  const bits = Array.from(run, (char) => kinds.indexOf(char)).filter((bit) => bit < 2)
  const bytes: number[] = []
  for (let at = 0; at + 8 <= bits.length; at += 8)
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + bit, 0))
  return UTF8.decode(Uint8Array.from(bytes))
}

/**
 * The text encoded in a run of tag characters, variation selectors or zero-width characters; empty if there is none.
 */
export const revealRun = (run: string): string => {
  switch (invisibleAt(run, 0)) {
    case 'tag':
      return tagText(run)
    case 'selector':
      return selectorText(run)
    case undefined:
    case 'bidi':
      return ''
    default:
      return bitText(run)
  }
}

/** Fewer characters contain no text. */
const FEWEST = 4

/** Whether a person could have written a text: printable, and more than a few characters. */
export const isReadable = (text: string): boolean =>
  text.length >= FEWEST && !/[\p{Cc}\ufffd]/u.test(text.replaceAll(/\s/g, ' '))

/**
 * Every text in invisible characters within another: a model reads it and a person does not see it. For detectors of
 * the meaning of a text.
 */
export const revealHidden = (text: string): readonly Revealed[] => {
  const found: Revealed[] = []
  for (let at = 0; at < text.length; at++) {
    const kind = invisibleAt(text, at)
    if (kind === undefined) continue
    let end = at
    let length = 0
    for (; end < text.length && sameAlphabet(kind, invisibleAt(text, end)); length++) end += widthAt(text, end)
    if (end === at) continue
    // No alphabet encodes more than one character in one.
    const decoded = length < FEWEST ? '' : revealRun(text.slice(at, end))
    if (isReadable(decoded)) found.push({ text: decoded, start: at, end })
    at = end - 1
  }
  return found
}

const sameAlphabet = (a: string, b: string | undefined): boolean =>
  a === b || (isZeroWidth(a) && b !== undefined && isZeroWidth(b))

const isZeroWidth = (kind: string): boolean => kind !== 'tag' && kind !== 'selector' && kind !== 'bidi'
