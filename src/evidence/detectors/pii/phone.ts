import type { Candidate } from '../rule.ts'
import type { PiiRule } from './pii-rule.ts'
import { leftEdge } from './pii-rule.ts'
import { isCalledOtherwise, wordsBefore } from './surroundings.ts'

const SAYS_PHONE =
  /(?:\b|_|tele|cell|mobile)phone|\btel\b|\btel[.:]|mobile|\bcell\b|\bfax\b|call (?:me|us|him|her|them|at|on)|\bcall\b|whatsapp|\bdial|\breach|\btext (?:me|us)|handy|tel[eé]f|t[ée]l\b|contact (?:me|us|number|no)|my number/

const countDigits = (value: string): number => value.replaceAll(/\D/g, '').length

/** E.164 allows fifteen digits; fewer than eight with a country code belong to nobody. */
const assessInternational = ({ text, value, start }: Candidate): number | undefined => {
  const digits = countDigits(value)
  if (digits < 8 || digits > 15 || /(\d)\1{6}/.test(value)) return undefined
  const named = SAYS_PHONE.test(wordsBefore(text, start))
  // A bare run of digits behind a plus could be a sum or a diff.
  return named ? 0.9 : /[ ().-]/.test(value) || digits >= 10 ? 0.7 : undefined
}

const isNorthAmerican = (digits: string): boolean => /^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits)

/** National forms: the North American one with its separators, all others only where they are called a phone number. */
const assessNational = ({ text, value, start }: Candidate): number | undefined => {
  const digits = value.replaceAll(/\D/g, '')
  if (digits.length < 7 || digits.length > 13 || /^(\d)\1+$/.test(digits)) return undefined
  const before = wordsBefore(text, start)
  if (
    /^(?:19|20)\d{2}[-./ ](?:0[1-9]|1[0-2])[-./ ]/.test(value) ||
    /^\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d{2}$/.test(value)
  )
    return undefined
  if (isCalledOtherwise(before)) return undefined
  if (SAYS_PHONE.test(before)) return 0.85
  return isNorthAmerican(digits) && /^(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}$/.test(value) ? 0.65 : undefined
}

const NATIONAL = String.raw`((?:\d{1,4}[ .-])?\(?\d{2,4}\)?(?:[ .-]?\d{2,4}){1,4})(?:[ ]?(?:x|ext\.?)[ ]?\d{1,5})?(?![A-Za-z0-9_]|[-.:/]\d|,\d)`

/** Phone numbers: international ones by their plus, national ones by form or by what they are called. */
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
    pattern: `${leftEdge('A-Za-z0-9_.,/#+(=-')}(?<!\\d[ :])${NATIONAL}`,
    assess: assessNational,
  },
  {
    type: 'phone',
    severity: 'low',
    confidence: 0.65,
    trigger: '(',
    pattern: `${leftEdge('A-Za-z0-9_.,/#+(=-')}(?<!\\d[ :])${NATIONAL.replace(String.raw`\(?\d{2,4}\)?`, String.raw`\(\d{2,4}\)[ ]?`)}`,
    assess: assessNational,
  },
]
