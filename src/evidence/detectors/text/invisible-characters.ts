/** Purpose of an invisible character. */
export type InvisibleKind = 'tag' | 'selector' | 'bidi' | 'mark' | 'joiner' | 'space' | 'hyphen' | 'filler'

/** Ranges of invisible code points (Unicode `Default_Ignorable_Code_Point` and format characters). */
const RANGES: readonly (readonly [from: number, to: number, kind: InvisibleKind])[] = [
  [0x00ad, 0x00ad, 'hyphen'],
  [0x034f, 0x034f, 'space'],
  [0x061c, 0x061c, 'mark'],
  [0x115f, 0x1160, 'filler'],
  [0x17b4, 0x17b5, 'space'],
  [0x180b, 0x180d, 'selector'],
  [0x180e, 0x180e, 'space'],
  [0x180f, 0x180f, 'selector'],
  [0x200b, 0x200b, 'space'],
  [0x200c, 0x200d, 'joiner'],
  [0x200e, 0x200f, 'mark'],
  [0x202a, 0x202e, 'bidi'],
  [0x2060, 0x2065, 'space'],
  [0x2066, 0x2069, 'bidi'],
  [0x206a, 0x206f, 'space'],
  [0x3164, 0x3164, 'filler'],
  [0xfe00, 0xfe0f, 'selector'],
  [0xfeff, 0xfeff, 'space'],
  [0xffa0, 0xffa0, 'filler'],
  [0xfff9, 0xfffb, 'space'],
  [0x1bca0, 0x1bca3, 'space'],
  [0x1d173, 0x1d17a, 'space'],
  [0xe0000, 0xe007f, 'tag'],
  [0xe0080, 0xe00ff, 'space'],
  [0xe0100, 0xe01ef, 'selector'],
  [0xe01f0, 0xe0fff, 'space'],
]

const ENDS = Uint32Array.from(RANGES, ([, to]) => to)

/** The kind of the range that holds a code point, by halving: a text may be all of them. */
const kindIn = (code: number): InvisibleKind | undefined => {
  let low = 0
  let high = ENDS.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ENDS[middle] ?? 0) < code) low = middle + 1
    else high = middle
  }
  const range = RANGES[low]
  return range !== undefined && code >= range[0] ? range[2] : undefined
}

/** Pages of 256 code units with such characters; sufficient for most text. */
const PAGES = Uint8Array.from({ length: 256 }, (_, page) =>
  RANGES.some(([from, to]) => from >> 8 <= page && page <= to >> 8) ? 1 : 0,
)
const ASTRAL = new Set([0xd82f, 0xd834, 0xdb40, 0xdb41, 0xdb42, 0xdb43])

/** The kind of the invisible character whose first code unit is here; `undefined` for visible ones. */
export const invisibleAt = (text: string, at: number): InvisibleKind | undefined => {
  const unit = text.charCodeAt(at)
  if (unit < 0xad) return undefined
  if (unit >= 0xd800 && unit <= 0xdfff) return ASTRAL.has(unit) ? kindIn(text.codePointAt(at) ?? 0) : undefined
  return PAGES[unit >> 8] === 1 ? kindIn(unit) : undefined
}

/** Code units of the character that begins here. */
export const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/** The code point that ends just before this place; -1 at the beginning. */
export const codeBefore = (text: string, at: number): number => {
  if (at <= 0) return -1
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? (text.codePointAt(at - 2) ?? unit) : unit
}

/** The code point that begins here; -1 at the end. */
export const codeAfter = (text: string, at: number): number => text.codePointAt(at) ?? -1

/** Letters of Latin script, and digits. */
export const isLatin = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  (code >= 0xc0 && code <= 0x24f)

/** Scripts in which joiners, separators and fillers belong to ordinary writing: Arabic, Indic, South-East Asian, … */
export const joinsLetters = (code: number): boolean =>
  (code >= 0x0590 && code <= 0x1cff) || (code >= 0xa800 && code <= 0xabff) || (code >= 0xfb1d && code <= 0xfefc)

/** East Asian writing. */
export const isEastAsian = (code: number): boolean =>
  (code >= 0x1100 && code <= 0x11ff) ||
  (code >= 0x2e80 && code <= 0xd7ff) ||
  (code >= 0xf900 && code <= 0xfaff) ||
  (code >= 0xff00 && code <= 0xffef) ||
  (code >= 0x20000 && code <= 0x3ffff)

/** Signs and pictures, which joiners and selectors combine. */
export const isPictorial = (code: number): boolean =>
  (code >= 0x1f000 && code <= 0x1faff) ||
  (code >= 0x203c && code <= 0x2bff && !(code >= 0x2060 && code <= 0x206f)) ||
  code === 0xa9 ||
  code === 0xae ||
  (code >= 0x3030 && code <= 0x3299) ||
  (code >= 0xfe00 && code <= 0xfe0f)
