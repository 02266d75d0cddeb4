import { expect, test } from 'vitest'
import type { Finding, FindingCategory, Severity } from '../protocol/evidence.ts'
import { listFindings } from './listed-findings.ts'

const found = (category: FindingCategory, severity: Severity, start: number): Finding => ({
  category,
  type: 'x',
  severity,
  confidence: 1,
  span: { pointer: '', start, end: start + 1 },
  detector: 'd',
})

const many = (count: number, category: FindingCategory, severity: Severity = 'low'): readonly Finding[] =>
  Array.from({ length: count }, (_, at) => found(category, severity, at))

test.each([
  { name: 'none', findings: [] },
  { name: 'a hundred', findings: many(100, 'secret') },
  { name: 'a hundred of each category', findings: [...many(100, 'secret'), ...many(100, 'pii')] },
])('$name are listed unchanged', ({ findings }) => {
  expect(listFindings(findings)).toEqual({ findings })
})

test('of more, those of the highest severity in each category are listed, in their order, and the rest is counted', () => {
  const findings = [
    ...many(100_000, 'secret'),
    found('pii', 'low', 0),
    found('secret', 'critical', 5),
    ...many(1, 'pii'),
  ]
  const { findings: listed, unlisted } = listFindings(findings)
  expect(listed.length).toBe(102)
  expect(listed.slice(98).map(({ category, severity }) => `${severity} ${category}`)).toEqual([
    'low secret',
    'low pii',
    'critical secret',
    'low pii',
  ])
  expect(unlisted).toEqual({ secret: 99_901 })
})
