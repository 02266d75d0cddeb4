import type { Severity } from '../../../protocol/evidence.ts'
import type { KeywordRule } from '../rule.ts'

/** A number or date that counts only next to its name. */
export interface NamedDataRow {
  readonly type: string
  /** Names of the number, in lower case ASCII, with at least three letters; the name may continue. */
  readonly words: readonly string[]
  /** Source of the value's pattern. */
  readonly value: string
  readonly severity?: Severity
  readonly confidence?: number
  /** Validates the value in upper case, without its blanks, dashes, dots and strokes. */
  readonly check?: (bare: string) => boolean
}

/** The continuation of a name: `passportNumber`, `tax_id_no`, `passports`. */
const REST = String.raw`[A-Za-z_]{0,16}`

const SIGNS = String.raw`["'\s:#=.)>|,;*-]{1,6}`

/** Words between a name and its number. */
const FILLERS =
  '(?:numbers?|numero|n[uú]mero|nummer|num|nr|no|id|is|was|are|code|card|holder|my|his|her|the|of|de|del|di|der|des|ist|lautet|est|es|ending|issued)'

/** From the name of a number to the number. */
const BETWEEN = `${REST}(?:${SIGNS}${FILLERS}){0,4}${SIGNS}`

/** The bare value: without blanks and signs, in upper case. */
export const bare = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** Creates the rule of a named value. */
export const namedDataRule = ({
  type,
  words,
  value,
  severity = 'high',
  confidence = 0.9,
  check,
}: NamedDataRow): KeywordRule => ({
  type,
  severity,
  confidence,
  anchors: words,
  pattern: `(?<![A-Za-z])(?:${words.join('|')})${BETWEEN}(${value})(?![A-Za-z0-9_]|[-./]\\d)`,
  ignoreCase: true,
  assess: (candidate) => {
    const plain = bare(candidate.value)
    return /^(.)\1+$/.test(plain) || check?.(plain) === false ? undefined : confidence
  },
})
