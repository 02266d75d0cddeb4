/** A text with the place of the value in it, in UTF-16 code units. */
export interface Placed {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** How a value is written so that a filter does not read it and a model does. */
export interface Transformation {
  readonly name: string
  /** Of the value alone: it is put into texts afterwards. */
  readonly value?: (value: string, seed: number) => string
  /** Of the whole text; called with each part, so that the place is known. */
  readonly text?: (part: string) => string
  /** Before the text, where it is transformed as a whole. */
  readonly mark?: string
  /** Words that say what was done: without, a number is read as another number. */
  readonly announced?: string
  /** Only where other words are written so too, for the same reason. */
  readonly inWords?: true
  /** The kinds of values for which it changes anything. */
  readonly applies?: (value: string) => boolean
}

const each = (value: string, map: (char: string, at: number) => string): string =>
  Array.from(value, (char, at) => map(char, at)).join('')

/** Characters of a block of Unicode that repeats the alphabet from this place on. */
const styled =
  (upper: number, lower: number, digit: number) =>
  (value: string): string =>
    each(value, (char) => {
      const code = char.charCodeAt(0)
      if (code >= 65 && code <= 90) return String.fromCodePoint(upper + code - 65)
      if (code >= 97 && code <= 122) return String.fromCodePoint(lower + code - 97)
      return code >= 48 && code <= 57 ? String.fromCodePoint(digit + code - 48) : char
    })

/** Letters of Cyrillic, Greek and Armenian that are drawn like Latin ones. */
const TWINS: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  i: 'і',
  j: 'ј',
  o: 'о',
  p: 'р',
  s: 'ѕ',
  x: 'х',
  y: 'у',
  h: 'һ',
  d: 'ԁ',
  g: 'ɡ',
  u: 'ս',
  A: 'А',
  B: 'В',
  C: 'С',
  E: 'Е',
  H: 'Н',
  I: 'І',
  J: 'Ј',
  K: 'К',
  M: 'М',
  N: 'Ν',
  O: 'О',
  P: 'Р',
  S: 'Ѕ',
  T: 'Т',
  X: 'Х',
  Y: 'Υ',
  Z: 'Ζ',
}

const between =
  (sign: string) =>
  (value: string): string =>
    Array.from(value).join(sign)

const every =
  (length: number, sign: string) =>
  (value: string): string =>
    (value.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []).join(sign)

/**
 * Something in one place of the value, a place that the number chooses; in an address behind its `@`, for what stands
 * there is an address by itself else.
 */
const once =
  (sign: string) =>
  (value: string, seed: number): string => {
    const least = value.includes('@') ? value.indexOf('@') + 1 : 2
    const at = least + ((seed * 5) % (value.length - least - 1))
    return value.slice(0, at) + sign + value.slice(at)
  }

const code = (char: string): number => char.charCodeAt(0)
const hex = (char: string, width = 2): string => code(char).toString(16).padStart(width, '0')
const hexOf = (value: string): string => each(value, (char) => hex(char))

const rot13 = (value: string): string =>
  value.replaceAll(/[a-z]/gi, (char) => {
    const base = code(char) < 97 ? 65 : 97
    return String.fromCharCode(((code(char) - base + 13) % 26) + base)
  })

const reversed = (value: string): string => Array.from(value).toReversed().join('')
const asTags = (value: string): string => each(value, (char) => String.fromCodePoint(0xe0000 + code(char)))
const nulBehind = (value: string): string => each(value, (char) => `${char}\0`)
const hasNoGap = (value: string): boolean => !value.includes(' ')

/** Every transformation of the issue; a new one is one row. */
export const TRANSFORMATIONS: readonly Transformation[] = [
  { name: 'plain', value: (value) => value },
  // As programs show UTF-16 that they take for single bytes, with the mark as it then looks, or without one.
  { name: 'utf16_nul', value: nulBehind },
  { name: 'utf16_be_nul', value: (value) => each(value, (char) => `\0${char}`) },
  { name: 'utf16_file', text: nulBehind },
  { name: 'utf16_file_mark', text: nulBehind, mark: '\ufffd\ufffd' },
  { name: 'utf16_file_latin1', text: nulBehind, mark: '\u00ff\u00fe' },
  { name: 'utf16_spelt', value: (value) => each(value, (char) => `${char}\\u0000`) },
  { name: 'soft_hyphens', value: between('\u00ad') },
  { name: 'soft_hyphen', value: once('\u00ad') },
  { name: 'zero_width', value: between('\u200b') },
  { name: 'zero_width_one', value: once('\u2060') },
  {
    name: 'fullwidth',
    value: (value) => each(value, (char) => (char === ' ' ? ' ' : String.fromCharCode(code(char) + 0xfee0))),
  },
  { name: 'mathematical_bold', value: styled(0x1d400, 0x1d41a, 0x1d7ce) },
  { name: 'mathematical_mono', value: styled(0x1d670, 0x1d68a, 0x1d7f6) },
  { name: 'circled', value: styled(0x24b6, 0x24d0, 0x30), applies: (value) => /[A-Za-z]/.test(value) },
  {
    name: 'other_digits',
    value: (value) => value.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
  },
  {
    name: 'look_alikes',
    value: (value) => each(value, (char) => TWINS[char] ?? char),
    applies: (value) => /[A-Za-z]/.test(value),
  },
  {
    name: 'look_alike_dashes',
    value: (value) => value.replaceAll('-', '\u2011').replaceAll(' ', '\u00a0'),
    applies: (value) => /[- ]/.test(value),
  },
  { name: 'underlined', value: (value) => each(value, (char) => `${char}\u0332`) },
  { name: 'tags', value: asTags },
  { name: 'tags_between', value: between('\u{e0041}') },
  // An address with a blank in it is two words to anybody.
  { name: 'space_once', value: once(' '), applies: (value) => !value.includes('@') },
  { name: 'spaces_of_four', value: every(4, ' ') },
  { name: 'spaces_between', value: between(' ') },
  { name: 'line_break', value: once('\n') },
  { name: 'line_break_indented', value: once('\n    ') },
  { name: 'line_break_quoted', value: once('\n> ') },
  { name: 'lines_of_eight', value: every(8, '\n') },
  { name: 'line_continued', value: once('\\\n') },
  { name: 'entities', value: (value) => each(value, (char) => `&#${code(char)};`) },
  { name: 'entities_hex', value: (value) => each(value, (char) => `&#x${hex(char)};`) },
  { name: 'entity_once', value: (value) => `${value.slice(0, 3)}&#${code(value.charAt(3))};${value.slice(4)}` },
  { name: 'escapes_u', value: (value) => each(value, (char) => `\\u${hex(char, 4)}`) },
  { name: 'escapes_x', value: (value) => each(value, (char) => `\\x${hex(char)}`) },
  { name: 'escapes_octal', value: (value) => each(value, (char) => `\\${code(char).toString(8).padStart(3, '0')}`) },
  { name: 'percent', value: (value) => each(value, (char) => `%${hex(char).toUpperCase()}`) },
  { name: 'quoted_printable', value: (value) => each(value, (char) => `=${hex(char).toUpperCase()}`) },
  { name: 'hex', value: hexOf },
  { name: 'hex_upper', value: (value) => hexOf(value).toUpperCase() },
  { name: 'hex_spaced', value: (value) => Array.from(value, (char) => hex(char)).join(' ') },
  { name: 'hex_colons', value: (value) => Array.from(value, (char) => hex(char)).join(':') },
  { name: 'hex_0x', value: (value) => `0x${hexOf(value)}` },
  { name: 'decimal_list', value: (value) => Array.from(value, code).join(', ') },
  { name: 'base64', value: (value) => btoa(value) },
  { name: 'base64_twice', value: (value) => btoa(btoa(value)) },
  { name: 'base64_of_hex', value: (value) => btoa(hexOf(value)) },
  {
    name: 'percent_of_base64',
    value: (value) => encodeURIComponent(btoa(value)).replaceAll(/[AEIOU]/g, (char) => `%${hex(char)}`),
  },
  { name: 'reversed', value: reversed, announced: 'Read it backwards' },
  { name: 'reversed_text', text: reversed, inWords: true },
  { name: 'rot13', value: rot13, announced: 'It is in rot13', applies: (value) => /[A-Za-z]/.test(value) },
  {
    name: 'mixed',
    value: (value) =>
      each(value, (char, at) => (at % 3 === 0 ? `${char}\u200b` : at % 3 === 1 ? (TWINS[char] ?? char) : char)),
    applies: hasNoGap,
  },
]
