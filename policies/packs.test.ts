import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PII_NAMED_RULES, PII_RULES } from '../src/evidence/detectors/pii/pii-detector.ts'
import { compileLayers } from '../src/config/policies.ts'
import { runCases } from '../src/assembly/guard/policy-cases.ts'
import { readCaseFiles, readPacks } from '../src/config/policy-files.ts'
import { formatProblem } from '../src/policy/rule.ts'
import type { PolicySet } from '../src/policy/policy-set.ts'
import { STEP_KINDS } from '../src/protocol/step.ts'

const folder = import.meta.dirname
const packs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())

const setOf = (names: readonly string[]): PolicySet => {
  const attempt = compileLayers([readPacks(folder, names)], homedir())
  if ('set' in attempt) return attempt.set
  throw new Error(attempt.problems.map(formatProblem).join('\n'))
}

test('the packs that ship are these', () => {
  expect(packs.map((entry) => entry.name).toSorted()).toEqual(['baseline', 'cloud', 'read-only', 'strict'])
})

test.each(['openclaw-mask-pii', 'openclaw-mask-pii-handed-on'])(
  '%s masks every type but addresses of machines',
  (rule) => {
    const text = readFileSync(join(folder, 'baseline/policies.cedar'), 'utf8')
    const masked = new RegExp(`@id\\("${rule}"\\)[^]*?@mask\\("([^"]*)"\\)`).exec(text)?.[1]?.split(' ')
    const types = new Set([...PII_RULES, ...PII_NAMED_RULES].map(({ type }) => `pii:${type}`))
    expect([...types].filter((type) => masked?.includes(type) !== true)).toEqual(['pii:private-ipv4'])
  },
)

describe.each(packs.map((entry) => entry.name))('%s', (pack) => {
  const set = setOf([...new Set(['baseline', pack])])
  const results = runCases(readCaseFiles(join(folder, pack)), set)
  const own = set.rules.filter((rule) => rule.source.includes(`/${pack}/`))

  test.each(results.map((result) => ({ ...result, file: relative(folder, result.path) })))(
    '$file: $name',
    ({ status, detail }) => {
      expect({ status, detail }).toEqual({ status: 'PASS', detail: '' })
    },
  )

  test('each forbid has a case that it decides, and each pack things it allows', () => {
    const cases = readCaseFiles(join(folder, pack))
    const named = new Set(cases.map(({ read }) => /"rule": "([a-z-]+)"/.exec(read.text ?? '')?.[1]))
    const unproven = own.filter((rule) => rule.effect === 'forbid' && !named.has(rule.id)).map((rule) => rule.id)
    expect(unproven).toEqual([])
    expect(cases.filter((one) => one.folder === 'ALLOW').length).toBeGreaterThan(5)
  })

  test('each reason says what to do instead, in a few words', () => {
    const wordy = own
      .filter((rule) => rule.effect === 'forbid')
      .filter(({ reason }) => reason.length > 200 || !/[.] .+[.]$/.test(reason))
    expect(wordy.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
  })

  test('permits something of every step kind', () => {
    const everywhere = own.filter((rule) => rule.effect === 'permit' && rule.actions === 'all')
    expect(everywhere.map((rule) => rule.id)).toEqual([`${pack}-permit`])
    expect(STEP_KINDS).toHaveLength(24)
  })
})
