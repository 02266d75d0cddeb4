import { shellWord } from '../../../protocol/shell-word.ts'
import { EMPTY, LONGEST_JOINED, type Value, concat, isKnown, known, mapTexts, unknown } from '../values/value.ts'

/** An escape for a character that could as well be written directly. */
export const HIDDEN = /\\(?:x[0-9a-f]|0?[0-7]{2,3}|u[0-9a-f]{4})/i

const NAMED: Readonly<Record<string, string | undefined>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
  a: '',
  b: '',
  e: '\u001b',
  f: '\f',
  v: '\v',
}

/** Text with its backslash escapes read. */
export const escapes = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-f]{1,2})|0?([0-7]{1,3})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([abefnrtv\\"']))/gi,
    (whole, hex?: string, octal?: string, unicode?: string, long?: string, char?: string) => {
      const code = hex ?? unicode ?? long
      if (code !== undefined) return character(Number.parseInt(code, 16))
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 255)
      return NAMED[char ?? ''] ?? whole
    },
  )

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

/** One place of a format: flags, width and precision, `*` where an argument gives them, and the conversion. */
const SLOT = /(%%|%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:hh?|ll?|[Lqjzt])?(?:[sbcqQdiouxXeEfFgGaAn]|\([^)]*\)T))/

interface Slot {
  readonly left: boolean
  readonly zero: boolean
  readonly width: string
  readonly precision: string | undefined
  readonly as: string
}

const slotOf = (piece: string): Slot => {
  const [, flags = '', width = '', precision, as = ''] =
    /^%([-+ #0']*)(\d+|\*)?(?:\.(\d+|\*)?)?.*?(.)$/s.exec(piece) ?? []
  const cut = precision ?? (/^%[-+ #0']*(?:\d+|\*)?\./.test(piece) ? '0' : undefined)
  return { left: flags.includes('-'), zero: flags.includes('0'), width, precision: cut, as }
}

/** A number as printf reads it: after a quote, the code of the character. */
const numberOf = (text: string): number => {
  if (/^['"]/.test(text)) return text.codePointAt(1) ?? 0
  const [, sign = '', octal] = /^([-+]?)0([0-7]+)$/.exec(text) ?? []
  return octal === undefined ? Number(text) : Number.parseInt(sign + octal, 8)
}

const RADIX: Readonly<Record<string, number | undefined>> = { o: 8, x: 16, X: 16, d: 10, i: 10, u: 10 }

const digits = (text: string, { as, precision = '' }: Slot): string | undefined => {
  const number = numberOf(text)
  const radix = RADIX[as]
  if (radix === undefined || !Number.isSafeInteger(number) || number < 0) return /^-?\d+$/.test(text) ? text : undefined
  const plain = number.toString(radix)
  return (as === 'X' ? plain.toUpperCase() : plain).padStart(Math.min(Number(precision), LONGEST_JOINED), '0')
}

const converted = (text: string, slot: Slot): string | undefined => {
  switch (slot.as) {
    case 's':
    case 'b': {
      const read = slot.as === 'b' ? escapes(text.replace(/\\c[^]*$/, '')) : text
      return slot.precision === undefined ? read : read.slice(0, Number(slot.precision))
    }
    case 'c':
      return text.slice(0, 1)
    case 'q':
    case 'Q':
      return shellWord(text)
    case 'n':
      return ''
    default:
      return digits(text, slot)
  }
}

const filled = (given: Value, slot: Slot): Value => {
  const width = Math.min(Number(slot.width), LONGEST_JOINED)
  if (!isKnown(given))
    return slot.as === 's' && width === 0 && slot.precision === undefined ? given : unknown(given.flow)
  const texts = given.texts.map((text) => converted(text, slot))
  if (texts.some((text) => text === undefined)) return unknown(given.flow)
  const by = slot.zero && !slot.left && slot.as in RADIX ? '0' : ' '
  return mapTexts({ ...given, texts: texts.map((text) => text ?? '') }, (text) =>
    slot.left ? text.padEnd(width) : text.padStart(width, by),
  )
}

/** Most repetitions of a format. */
const MOST_ROUNDS = 1_024

const sizeOf = ({ texts }: Value): number => texts.reduce((all, { length }) => all + length, 0)

/**
 * What `printf` makes of a format and its arguments; the format is repeated as needed.
 * @param spend counts characters before they are produced; false once the budget is exhausted
 */
export const formatted = (format: string, args: readonly Value[], spend: (characters: number) => boolean): Value => {
  const pieces = format.replace(/\\c[^]*$/, '').split(SLOT)
  const flow = args.reduce<Value>((all, one) => concat({ ...all, texts: [''] }, one), EMPTY).flow
  let [at, result]: [number, Value] = [0, EMPTY]
  const next = (): Value | undefined => args[at++]
  const sized = (given: string): string => (given === '*' ? String(numberOf(next()?.texts[0] ?? '0')) : given)
  for (let round = 0; round === 0 || at < args.length; round++) {
    const before = at
    if (round >= MOST_ROUNDS) return unknown(flow)
    for (const [index, piece] of pieces.entries()) {
      if (index % 2 === 0) result = concat(result, known(escapes(piece)))
      else if (piece === '%%') result = concat(result, known('%'))
      else {
        const open = slotOf(piece)
        const [width, precision] = [sized(open.width), open.precision === undefined ? undefined : sized(open.precision)]
        const slot = { ...open, left: open.left || width.startsWith('-'), width: width.replace('-', ''), precision }
        const long = Math.max(Number(slot.width) || 0, slot.as in RADIX ? Number(precision ?? 0) || 0 : 0)
        const given = open.as === 'T' ? unknown() : (next() ?? (open.as in RADIX ? known('0') : EMPTY))
        if (long > LONGEST_JOINED || !spend(long + sizeOf(given))) return unknown(flow)
        result = concat(result, filled(given, slot))
      }
    }
    if (at === before) break
  }
  return result
}

/** Whether a format, or an argument of which the escapes are read, writes characters by their number. */
export const hidesText = (format: string, args: readonly Value[]): boolean =>
  HIDDEN.test(format) ||
  (/%[-\d.*]*b/.test(format) && args.some(({ texts }) => texts.some((text) => HIDDEN.test(text))))
