import { describe, expect, test } from 'vitest'
import { createSignFinder } from './find-signs.ts'
import { FINDING_CONFIDENCE } from './injection-rule.ts'
import { INJECTION_RULES } from './injection-rules.ts'

const samples = (pick: 'found' | 'clean') =>
  INJECTION_RULES.flatMap((rule, number) =>
    rule[pick].map((text) => ({ text, number, name: `${rule.type} ${number}`, rule })),
  )

describe('the rules for injected instructions', () => {
  test.each(samples('found'))('$name finds $text', ({ text, rule }) => {
    const signs = createSignFinder([rule])(text, 'tool')
    expect(signs.length).toBeGreaterThan(0)
  })

  test.each(samples('clean'))('$name leaves $text alone', ({ text, rule }) => {
    expect(createSignFinder([rule])(text, 'tool')).toEqual([])
  })

  test('no clean sample of one rule is a finding of another', () => {
    const find = createSignFinder(INJECTION_RULES)
    expect(
      samples('clean').flatMap(({ text }) =>
        find(text, 'tool')
          .filter(({ confidence }) => confidence >= FINDING_CONFIDENCE)
          .map(({ rule }) => `${rule.type}: ${text}`),
      ),
    ).toEqual([])
  })
})
