import type { Severity } from '../../../protocol/evidence.ts'
import type { KeywordRule } from '../rule.ts'

/** A number or date that counts only where it is called what it is. */
export interface CalledRow {
  readonly type: string
  /** What the number is called, lower case ASCII, three letters at least; more of the name may follow. */
  readonly words: readonly string[]
  /** Source of the pattern of the value. */
  readonly value: string
  readonly severity?: Severity
  readonly confidence?: number
  /** Judges the value without its blanks, dashes, dots and strokes, upper case. */
  readonly check?: (bare: string) => boolean
}

/** The rest of a name: `passportNumber`, `tax_id_no`, `passports`. */
const REST = String.raw`[A-Za-z_]{0,16}`

const SIGNS = String.raw`["'\s:#=.)>|,;*-]{1,6}`

/** Words that stand between a name and its number. */
const FILLERS =
  '(?:numbers?|numero|n[uú]mero|nummer|num|nr|no|id|is|was|are|code|card|holder|my|his|her|the|of|de|del|di|der|des|ist|lautet|est|es|ending|issued)'

/** From the name of a number to the number. */
const BETWEEN = `${REST}(?:${SIGNS}${FILLERS}){0,4}${SIGNS}`

/** The bare value: no blanks, no signs, upper case. */
export const bare = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** A rule for a value that is called by its name. */
export const calledRule = ({
  type,
  words,
  value,
  severity = 'high',
  confidence = 0.9,
  check,
}: CalledRow): KeywordRule => ({
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
