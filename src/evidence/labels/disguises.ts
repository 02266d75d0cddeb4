import { revealHidden } from '../detectors/text/reveal.ts'
import { skeletonOf } from '../detectors/text/confusables.ts'
import { fromBase32, fromBase85, fromBigNumber } from '../encodings/alphabets.ts'
import type { InflateBudget } from '../encodings/inflate.ts'
import { inflate, inflateBudget, isMostlyText } from '../encodings/inflate.ts'
import { listedCharacters } from './listed-characters.ts'

/** UTF-16 code units of one call that are looked through. */
const LONGEST = 262_144
/** Encodings inside encodings. */
const DEPTH = 3
/** UTF-16 code units of one call that are also read in ways that take long. */
const SLOW = 2_048
/** Of all forms: so many for each of the call's own, and beside that. */
const FORMS = 4
const ROOM = 65_536
/** Of a form, to judge it by. */
const MOST_SEEN = 256
/** Shorter forms hold no piece that counts. */
const SHORTEST = 8
/** Runs of one text that are read as numbers of a large base. */
const MOST_BIG = 24

const BASE64 = /[A-Za-z0-9+/_-]{12,}/g
const HEX = /(?:[0-9A-Fa-f]{2}){6,}/g
/** As names of hosts carry data. */
const BASE32 = /[A-Za-z0-9]{16,}/g
const BIG_NUMBER = /[A-Za-z0-9]{14,}/g
const BASE85 = /[!-~]{15,}/g

/** A character by its number, in any notation; of a doubled backslash one is left, which no letter is. */
const ESCAPE =
  /%u([\da-f]{4})|[%=]([\da-f]{2})|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})|\\([0-3]?[0-7]{2})|&#x([\da-f]{1,6});?|&#(\d{1,7});?|U\+([\da-f]{4,6})/gi

/** Short values of a query or of options, one after the other. */
const VALUES = /=([^&=\s"']{1,4})(?=[&\s"']|$)/g

/** Patterns that are applied to whole texts, for the test of linear time. */
export const DISGUISE_PATTERNS = {
  base64: BASE64,
  hex: HEX,
  base32: BASE32,
  number: BIG_NUMBER,
  base85: BASE85,
  escape: ESCAPE,
  values: VALUES,
}

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (...found: readonly unknown[]) => {
    const at = found.slice(1, 10).findIndex((digits) => digits !== undefined)
    const code = Number.parseInt(String(found[at + 1]), at === 5 ? 8 : at === 7 ? 10 : 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

const GZIP = '\x1f\x8b\x08'

/** What bytes hold in a packed form, also behind a few others. */
const unpacked = (bytes: Buffer, budget: InflateBudget, blind: boolean): readonly string[] => {
  const at = bytes.subarray(0, 96).indexOf(GZIP, 0, 'latin1')
  const out = inflate(at > 0 ? bytes.subarray(at) : bytes, budget, blind)
  return out === undefined ? [] : [Buffer.from(out).toString('latin1')]
}

/** Letters and digits in turn, as in no word and few paths. */
const isDense = (run: string): boolean => /\d/.test(run) && !/[a-z]{16}/.test(run)

/** Characters before the encoded part may belong to the same run: each of the four alignments is tried. */
const fromBase64 = (run: string, budget: InflateBudget): readonly string[] =>
  [0, 1, 2, 3].flatMap((skip) => {
    const bytes = Buffer.from(run.slice(skip), 'base64')
    return [bytes.toString('latin1'), ...unpacked(bytes, budget, skip === 0 && isDense(run) && !isMostlyText(bytes))]
  })

const NOT_ASCII = /[^\0-\x7f]/
const NOT_BASE64 = /[^A-Za-z0-9+/_-]+/g

/** Other letters for the same ones, and letters that are not shown. */
const shownAs = (text: string): readonly string[] =>
  NOT_ASCII.test(text) ? [skeletonOf(text.normalize('NFKD')), ...revealHidden(text).map((one) => one.text)] : []

const reversed = (text: string): string => Array.from(text).toReversed().join('')

const rot47 = (text: string): string =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(33 + ((sign.charCodeAt(0) + 14) % 94)))

/** First and last letters of words and of lines, and short values. */
const picked = (text: string): readonly string[] => [
  [...text.matchAll(VALUES)].map(([, value]) => value).join(''),
  ...[/\S+/g, /\S[^\n]*/g].flatMap((part) => {
    const parts = text.match(part) ?? []
    return parts.length < 10
      ? []
      : [parts.map((one) => one.charAt(0)).join(''), parts.map((one) => one.trimEnd().at(-1)).join('')]
  }),
]

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (sign) => {
    const first = sign < 'a' ? 65 : 97
    return String.fromCharCode(first + ((sign.charCodeAt(0) - first + 13) % 26))
  })

/** Whether a decoded run is readable: bytes decoded with a wrong alphabet contain few letters. */
const hasLetters = (form: string): boolean => {
  const seen = Math.min(form.length, MOST_SEEN)
  let letters = 0
  for (let at = form.length - seen; at < form.length; at++) {
    const code = form.charCodeAt(at)
    if ((code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123)) letters++
  }
  return letters * 2 >= seen
}

const isReadable = (form: string): boolean => isMostlyText(Buffer.from(form.slice(0, MOST_SEEN), 'latin1'))

/** Ways that take long, and texts that are turned: for a short text as it was written. */
const slowlyDecoded = (text: string, budget: InflateBudget): readonly string[] => [
  ...(text.match(BIG_NUMBER) ?? []).filter(isDense).slice(0, MOST_BIG).flatMap(fromBigNumber).filter(isReadable),
  ...(text.match(BASE85) ?? []).filter(isDense).slice(0, MOST_BIG).flatMap(fromBase85).filter(isReadable),
  ...fromBase64(text.replace(NOT_BASE64, ''), budget),
  rot13(text),
  rot47(text),
  reversed(text),
  ...picked(text),
]

const decoded = (text: string, budget: InflateBudget): readonly string[] => {
  const forms: string[] = [...shownAs(text), ...listedCharacters(text)]
  if (/[%=\\&+]/.test(text)) forms.push(unescaped(text))
  for (const [run] of text.matchAll(BASE32)) forms.push(...fromBase32(run).filter(isReadable))
  for (const [run] of text.matchAll(HEX)) forms.push(Buffer.from(run, 'hex').toString('latin1'))
  for (const [run] of text.matchAll(BASE64)) forms.push(...fromBase64(run, budget))
  return forms.flatMap((form) =>
    form.includes(GZIP) ? [form, ...unpacked(Buffer.from(form, 'latin1'), budget, false)] : [form],
  )
}

/**
 * The texts of one call in every way in which a value that is known may be written in them: decoded from any alphabet or
 * list of numbers, unpacked, also within one another, and all of them joined. What is read wrongly matches nothing.
 */
export const disguised = (texts: readonly string[]): readonly string[] => {
  const own = texts.map((text) => text.slice(0, LONGEST))
  if (own.length > 1) own.push(own.join(',').slice(0, LONGEST))
  const all = new Set(own)
  const budget = inflateBudget()
  let room = ROOM + own.reduce((sum, text) => sum + text.length, 0) * FORMS
  let slow = SLOW
  let layer: readonly string[] = own
  for (let depth = 0; depth < DEPTH && layer.length > 0; depth++) {
    const next: string[] = []
    for (const text of layer) {
      const isSlow = depth === 0 && (slow -= text.length) >= 0
      for (const form of [...(isSlow ? slowlyDecoded(text, budget) : []), ...decoded(text, budget)]) {
        if (form.length < SHORTEST || !hasLetters(form) || all.has(form)) continue
        room -= form.length
        if (room < 0) return [...all]
        all.add(form)
        if (isReadable(form)) next.push(form)
      }
    }
    layer = next
  }
  return [...all]
}
