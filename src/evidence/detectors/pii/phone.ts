import type { Candidate } from '../rule.ts'
import type { PiiRule } from './pii-rule.ts'
import { leftEdge, lengths } from './pii-rule.ts'
import { isNamedOtherwise, wordsBefore } from './surroundings.ts'

const PHONE_WORDS =
  /(?:\b|_|tele|cell|mobile)phone|\btel\b|\btel[.:]|mobile|\bcell\b|\bfax\b|call (?:me|us|him|her|them|at|on)|\bcall\b|whatsapp|\bdial|\breach|\btext (?:me|us)|handy|tel[eé]f|t[ée]l\b|contact (?:me|us|number|no)|my number|messages? (?:to|on|at)\b|answering (?:at|on)|\bsms\b|ring (?:me|us|him|her|them)/

const countDigits = (value: string): number => value.replaceAll(/\D/g, '').length

/** Assigned country calling codes (ITU-T E.164 assigned codes). */
const CALLING_CODE =
  /^(?:1|7|2[07]|21[12368]|2[2346]\d|25[0-8]|29[01789]|3[0-4]|35\d|36|37[0-8]|38[0-35-79]|39|4[013-9]|42[013]|5[1-8]|50\d|59\d|6[0-6]|67[02-9]|68\d|69[0-2]|8[1246]|80[08]|85[02356]|87[08]|88[0-36-8]|9[0-58]|96[0-8]|97[0-79]|99[2-68])/

/** E.164 allows fifteen digits; fewer than eight with a country code are not assigned. */
const assessInternational = ({ text, value, start }: Candidate): number | undefined => {
  const digits = countDigits(value)
  if (digits < 8 || digits > 15 || /(\d)\1{6}/.test(value) || !CALLING_CODE.test(value.slice(1))) return undefined
  const named = PHONE_WORDS.test(wordsBefore(text, start))
  if (!named && /1234567|9876543/.test(value.replaceAll(/\D/g, ''))) return undefined
  // Bare digits after a plus could be a sum or a diff.
  return named ? 0.9 : /[ ().-]/.test(value) || digits >= 10 ? 0.7 : undefined
}

const isNorthAmerican = (digits: string): boolean => /^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits)

/** National forms: the North American one with its separators, all others only next to a name for a phone number. */
const assessNational = ({ text, value, start }: Candidate): number | undefined => {
  const digits = value.replaceAll(/\D/g, '')
  if (digits.length < 7 || digits.length > 13 || /^(\d)\1+$/.test(digits)) return undefined
  const before = wordsBefore(text, start)
  if (
    /^(?:19|20)\d{2}[-./ ](?:0[1-9]|1[0-2])[-./ ]/.test(value) ||
    /^\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d{2}$/.test(value)
  )
    return undefined
  if (isNamedOtherwise(before)) return undefined
  if (PHONE_WORDS.test(before)) return 0.85
  return isNorthAmerican(digits) && /^(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}$/.test(value) ? 0.65 : undefined
}

/** Commas separate the cells of a row, but also the thousands of a number. */
const NO_THOUSANDS = String.raw`(?!(?<=\d,)\d{3}(?![\d-]))`

const NATIONAL = String.raw`((?:\d{1,4}[ .-])?\(?\d{2,4}\)?(?:[ .-]?\d{2,4}){1,4})(?:[ ]?(?:x|ext\.?)[ ]?\d{1,5})?(?![A-Za-z0-9_]|[-.:/]\d)`

/** Phone numbers: international ones by their plus, national ones by form or by name. */
export const PHONE_RULES: readonly PiiRule[] = [
  {
    type: 'phone',
    severity: 'low',
    confidence: 0.7,
    trigger: '+',
    pattern: String.raw`${leftEdge('A-Za-z0-9_.+/=*)-')}\+[1-9]\d{0,3}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?![A-Za-z0-9_+=/]|[-.:]\d)`,
    assess: assessInternational,
  },
  {
    type: 'phone',
    severity: 'low',
    confidence: 0.65,
    trigger: 'digits',
    runs: lengths(1, 13),
    pattern: `${leftEdge('A-Za-z0-9_./#+(=-')}${NO_THOUSANDS}(?<!\\d[ :])${NATIONAL}`,
    assess: assessNational,
  },
  {
    type: 'phone',
    severity: 'low',
    confidence: 0.65,
    trigger: '(',
    pattern: `${leftEdge('A-Za-z0-9_./#+(=-')}${NO_THOUSANDS}(?<!\\d[ :])${NATIONAL.replace(String.raw`\(?\d{2,4}\)?`, String.raw`\(\d{2,4}\)[ ]?`)}`,
    assess: assessNational,
  },
]
