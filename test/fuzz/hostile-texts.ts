import fc from 'fast-check'
import { ANY_TEXT } from './pieces.ts'

/** Longest text that is made, in UTF-16 code units: long enough for windows and reaches, short enough for a million. */
const LONGEST = 2_000
/** Most repetitions of one piece, and levels of one nesting. */
const MOST_REPEATED = 40

const interleaved = (piece: string, sign: string): string => Array.from(piece).join(sign)
const wide = (piece: string): string =>
  piece.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
const percented = (piece: string): string =>
  piece.replaceAll(/[^a-zA-Z0-9]/g, (sign) => `%${(sign.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`)
const based = (piece: string): string => Buffer.from(piece).toString('base64')
const tagged = (piece: string): string =>
  piece.replaceAll(/[ -~]/g, (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0)))

/** What is done to a piece; `amount` is 1 to MOST_REPEATED. Half of all pieces stay as they are. */
const TRICKS: readonly ((piece: string, amount: number) => string)[] = [
  ...Array.from({ length: 14 }, () => (piece: string) => piece),
  (piece, amount) => piece.repeat(amount),
  (piece, amount) => `${piece} `.repeat(amount),
  (piece, amount) => '('.repeat(amount) + piece + ')'.repeat(amount),
  (piece, amount) => '{"['.repeat(amount) + piece + ']"}'.repeat(amount >> 1),
  (piece) => interleaved(piece, '\u200b'),
  (piece) => interleaved(piece, '\u0000'),
  (piece) => interleaved(piece, ' '),
  (piece) => interleaved(piece, '\ud83d'),
  (piece) => piece.slice(0, piece.length >> 1),
  (piece) => piece.toUpperCase(),
  (piece) => Array.from(piece).toReversed().join(''),
  wide,
  percented,
  based,
  tagged,
  (piece) => JSON.stringify(piece),
  (piece) => piece.normalize('NFKD'),
  (piece) => `${piece}\ud83d`,
]

/** Two numbers out of one, so that a case is a short list of numbers and shrinks fast. */
const split = (number: number, parts: number): readonly [part: number, rest: number] => [
  number % parts,
  Math.floor(number / parts),
]

/** Random code units. Made once: it takes a tenth of a second, and there are as many lists of pieces as targets. */
const STRANGE = fc.string({ unit: 'binary', maxLength: 60 })

/**
 * Texts of a language's own pieces, whole, cut, repeated, nested, encoded and interleaved, with hostile characters
 * between: random text reaches no rule, and a rule's own samples reach no edge.
 */
export const hostileTexts = (pieces: readonly string[]): fc.Arbitrary<string> => {
  const texts = fc.array(fc.nat(), { maxLength: 18 }).map((numbers) => {
    let text = ''
    for (const number of numbers) {
      const [trick, rest] = split(number, TRICKS.length)
      const [amount, more] = split(rest, MOST_REPEATED)
      const [stranger, place] = split(more, 5)
      const from = stranger === 4 ? ANY_TEXT : pieces
      text += TRICKS[trick]?.(from[place % from.length] ?? '', amount + 1) ?? ''
      if (amount % 3 === 0) text += ' '
      if (text.length > LONGEST) return text.slice(0, LONGEST)
    }
    return text
  })
  return fc.noBias(fc.oneof({ weight: 24, arbitrary: texts }, { weight: 1, arbitrary: STRANGE }))
}
