import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import { MALICIOUS_CODE_RULES } from './malicious-code/malicious-code-detector.ts'
import { PII_CALLED_RULES, PII_RULES } from './pii/pii-detector.ts'
import type { Rule } from './rule.ts'
import { SECRET_RULES } from './secrets/secrets-detector.ts'

const rules: readonly Rule[] = [...SECRET_RULES, ...PII_RULES, ...MALICIOUS_CODE_RULES, ...PII_CALLED_RULES]

/** Repetition without an upper bound, outside of character classes. */
const isUnbounded = (pattern: string): boolean =>
  /(?:[*+]|\{\d+,\})/.test(pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'c'))

/** Patterns checked in one go: an alternation is as vulnerable as its worst part, and each run has its price. */
const BATCH = 10

const refersBack = ({ pattern }: Rule): boolean => /\\[1-9]/.test(pattern)

const batches = [true, false].flatMap((ignoreCase) => {
  const alike = rules.filter((rule) => (rule.ignoreCase === true) === ignoreCase)
  const together = alike.filter((rule) => !refersBack(rule))
  const groups = Array.from({ length: Math.ceil(together.length / BATCH) }, (_, number) =>
    together.slice(number * BATCH, (number + 1) * BATCH),
  )
  return [...groups, ...alike.filter(refersBack).map((rule) => [rule])].map((group) => ({
    name: group.map(({ type }) => type).join(', '),
    pattern: group.map(({ pattern }) => (group.length === 1 ? pattern : `(?:${pattern})`)).join('|'),
    flags: ignoreCase ? 'iy' : 'y',
  }))
})

describe('regular expressions of the detectors', () => {
  test.each(rules.map(({ type, pattern }, number) => ({ type, pattern, number })))(
    '$type ($number) repeats nothing without a bound',
    ({ pattern }) => {
      expect(isUnbounded(pattern)).toBe(false)
    },
  )

  test('the check for bounds sees what it is for', () => {
    expect(['a+', '(?:ab)*', 'a{3,}', '[a-z]+'].map(isUnbounded)).toEqual([true, true, true, true])
    expect(['[+*]', String.raw`\+`, 'a{1,3}', '(?:a|b){2}'].map(isUnbounded)).toEqual([false, false, false, false])
  })

  test.each(batches)('no text takes these more than linear time: $name', { timeout: 60_000 }, ({ pattern, flags }) => {
    expect(checkSync(pattern, flags, { timeout: 30_000 }).status).toBe('safe')
  })

  test('the check for hostile texts sees what it is for, also in an alternation', { timeout: 60_000 }, () => {
    const hostile = '(?:token=[a-z]{1,50})|(?:(?<![a-z])(?:a{1,30}){1,30}$)'
    expect(checkSync(hostile, 'iy', { timeout: 30_000 }).status).toBe('vulnerable')
  })
})
