import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import { PII_RULES } from './pii/pii-detector.ts'
import { SECRET_RULES } from './secrets/secrets-detector.ts'

const patterns = [...SECRET_RULES, ...PII_RULES].map(({ type, pattern, ignoreCase }, number) => ({
  name: `${number} ${type}`,
  pattern,
  flags: ignoreCase === true ? 'iy' : 'y',
}))

/** Repetition without an upper bound, outside of character classes. */
const isUnbounded = (pattern: string): boolean =>
  /(?:[*+]|\{\d+,\})/.test(
    pattern
      .replaceAll(/\\./g, 'x')
      .replaceAll(/\[(?:[^\]])*\]/g, 'c')
      .replaceAll('(?', ''),
  )

describe('regular expressions of the detectors', () => {
  test.each(patterns)('$name repeats nothing without a bound', ({ pattern }) => {
    expect(isUnbounded(pattern)).toBe(false)
  })

  test('the check for bounds sees what it is for', () => {
    expect(['a+', '(?:ab)*', 'a{3,}', '[a-z]+'].map(isUnbounded)).toEqual([true, true, true, true])
    expect(['[+*]', String.raw`\+`, 'a{1,3}', '(?:a|b){2}'].map(isUnbounded)).toEqual([false, false, false, false])
  })

  test('none is vulnerable to a hostile text', { timeout: 120_000 }, () => {
    const unsafe = patterns.flatMap(({ name, pattern, flags }) => {
      const { status } = checkSync(pattern, flags, { timeout: 2000, checker: 'auto' })
      return status === 'vulnerable' ? [name] : []
    })
    expect(unsafe).toEqual([])
  })
})
