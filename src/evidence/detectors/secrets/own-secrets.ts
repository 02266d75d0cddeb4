import type { KeywordRule } from '../rule.ts'

/** What a program that wraps, quotes or joins a text puts between its characters. */
const BETWEEN = String.raw`[\s"'+\\,]{0,4}`

/** Characters in a row that give a secret away; of a shorter piece nobody knows what it is of. */
const UNIQUE_LENGTH = 16
/** Longer values are files, not tokens. */
const LONGEST = 256

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

const backwards = (value: string): string => value.split('').toReversed().join('')

/** A piece of a value that begins at an offset, and as much of what follows as stands there. */
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

/** Whether a value can be looked for: a token or key in one line, long enough not to be met by chance. */
export const isOwnSecret = (value: string): boolean =>
  value.length >= UNIQUE_LENGTH && value.length <= LONGEST && /^[\x21-\x7e]+$/.test(value)

/**
 * Rules that find the guard's own tokens and keys by their value, whole or a piece of them: as they are, backwards, as
 * the hexadecimal codes of their characters. What decodes base64 and percent codes for other secrets does so for these.
 */
export const ownSecretRules = (values: readonly string[]): readonly KeywordRule[] =>
  values.filter(isOwnSecret).flatMap((value) => [
    // At every character: a line may end in the first three of a piece.
    ...rulesOf(value, 1, false),
    ...rulesOf(backwards(value), 4, false),
    ...rulesOf(Buffer.from(value, 'latin1').toString('hex'), 8, true),
  ])
