import type { KeywordRule } from '../rule.ts'

/** Characters that a program inserts when it wraps, quotes or joins a text. */
const BETWEEN = String.raw`[\s"'+\\,]{0,4}`

/** Consecutive characters that identify a secret; a shorter piece could belong to anything. */
const UNIQUE_LENGTH = 16
/** Longer values are files, not tokens. */
const LONGEST = 256

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

const backwards = (value: string): string => value.split('').toReversed().join('')

/** Pattern of a piece of a value from an offset, and of as much of the rest as follows. */
const pieceAt = (value: string, offset: number): string => {
  const characters = value.slice(offset).split('').map(escaped)
  const rest = characters.slice(UNIQUE_LENGTH).reduceRight((all, one) => `(?:${BETWEEN}${one}${all})?`, '')
  return characters.slice(0, UNIQUE_LENGTH).join(BETWEEN) + rest
}

const rulesOf = (value: string, step: number, ignoreCase: boolean): readonly KeywordRule[] => {
  const offsets = Array.from({ length: Math.floor((value.length - UNIQUE_LENGTH) / step) + 1 }, (_, at) => at * step)
  return offsets.map((offset) => {
    const start = value.slice(offset, offset + 3).toLowerCase()
    return {
      type: 'guard-token',
      severity: 'critical',
      confidence: 1,
      anchors: [start, `${start.charAt(0)} ${start.charAt(1)}`],
      pattern: pieceAt(value, offset),
      ignoreCase,
    }
  })
}

/** Whether a value can be searched for: a token or key on one line, too long to match by chance. */
export const isOwnSecret = (value: string): boolean =>
  value.length >= UNIQUE_LENGTH && value.length <= LONGEST && /^[\x21-\x7e]+$/.test(value)

/**
 * Rules that find the guard's own tokens and keys by value, whole or in part: plain, reversed, or as hexadecimal
 * character codes. Base64 and percent codes are decoded as for other secrets.
 */
export const ownSecretRules = (values: readonly string[]): readonly KeywordRule[] =>
  values.filter(isOwnSecret).flatMap((value) => [
    // At every character: a line may end in the first three of a piece.
    ...rulesOf(value, 1, false),
    ...rulesOf(backwards(value), 4, false),
    ...rulesOf(Buffer.from(value, 'latin1').toString('hex'), 8, true),
  ])
