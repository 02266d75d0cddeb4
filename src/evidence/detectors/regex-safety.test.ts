import { describe, expect, test } from 'vitest'
import { findSlow, holdsToLinearTime } from '../../../test/support/linear-time.ts'
import { MALICIOUS_CODE_RULES } from './malicious-code/malicious-code-detector.ts'
import { PII_NAMED_RULES, PII_RULES } from './pii/pii-detector.ts'
import type { Rule } from './rule.ts'
import { SECRET_RULES } from './secrets/secrets-detector.ts'
import { TURNED_FORMS } from './views/turned-values.ts'

const rules: readonly Rule[] = [...SECRET_RULES, ...PII_RULES, ...MALICIOUS_CODE_RULES, ...PII_NAMED_RULES]

/** Repetition without an upper bound, outside of character classes. */
const isUnbounded = (pattern: string): boolean =>
  /(?:[*+]|\{\d+,\})/.test(pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'c'))

describe('regular expressions of the detectors', () => {
  test.each(rules.map(({ type, pattern }, number) => ({ type, pattern, number })))(
    '$type ($number) has no unbounded repetition',
    ({ pattern }) => {
      expect(isUnbounded(pattern)).toBe(false)
    },
  )

  test('the check for bounds finds a missing one', () => {
    expect(['a+', '(?:ab)*', 'a{3,}', '[a-z]+'].map(isUnbounded)).toEqual([true, true, true, true])
    expect(['[+*]', String.raw`\+`, 'a{1,3}', '(?:a|b){2}'].map(isUnbounded)).toEqual([false, false, false, false])
  })

  holdsToLinearTime(
    'rules',
    rules.map(({ pattern, ignoreCase }) => ({ source: pattern, flags: ignoreCase === true ? 'iy' : 'y' })),
  )

  holdsToLinearTime(
    'views',
    TURNED_FORMS.map(({ form }) => ({ source: form.source, flags: form.flags })),
  )

  test('the check for hostile texts finds a slow pattern, also among others', { timeout: 60_000 }, () => {
    const hostile = { source: '(?<![a-z])(?:a{1,30}){1,30}$', flags: 'iy' }
    const harmless = { source: 'token=[a-z]{1,50}', flags: 'iy' }
    expect(findSlow([harmless, hostile, harmless])).toEqual([hostile])
  })
})
