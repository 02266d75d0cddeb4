import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fake } from '../../../test/support/fake.ts'
import type { Severity } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { valueAt } from '../../protocol/json-pointer.ts'
import type { Detector, Match } from './detector.ts'
import { createHiddenTextDetector } from './hidden-text/hidden-text-detector.ts'
import { createPiiDetector } from './pii/pii-detector.ts'
import { createScanner } from './scanner.ts'
import { createSecretsDetector } from './secrets/secrets-detector.ts'

const scanner = createScanner({ detectors: [createSecretsDetector(), createPiiDetector()] })
const token = fake('ghp_', 36)

/** Counts its calls. */
const counting = (): { readonly detector: Detector; readonly calls: () => number } => {
  let calls = 0
  return {
    detector: { id: 'counting', version: '3', detect: () => (calls++, []) },
    calls: () => calls,
  }
}

const deep = (levels: number, leaf: Json): Json => {
  let value = leaf
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

describe('scanning a JSON value', () => {
  test('finds in values at any place, with pointers by RFC 6901', () => {
    const value = { 'a/b': [{ 'm~n': `x ${token}` }], n: 1, z: null, t: true }
    expect(scanner.scanValue(value, 'tool')).toEqual({
      findings: [
        {
          category: 'secret',
          type: 'github-token',
          severity: 'critical',
          confidence: 0.95,
          detector: 'secrets',
          span: { pointer: '/a~1b/0/m~0n', start: 2, end: 2 + token.length },
        },
      ],
      exhausted: false,
    })
  })

  test("a lone string is at the root, or at the caller's pointer", () => {
    expect(scanner.scanValue(token, 'tool').findings[0]?.span.pointer).toBe('')
    expect(scanner.scanValue({ stdout: token }, 'tool', '/output').findings[0]?.span.pointer).toBe('/output/stdout')
  })

  test('a secret as a member name is reported without its text', () => {
    const [finding] = scanner.scanValue({ a: { [token]: 1 } }, 'tool').findings
    expect(finding?.span).toEqual({ pointer: '/a', start: 0, end: token.length, key: true })
  })

  test.each([
    { name: 'a password', value: { password: ['c0rrect', 'Horse!'].join('') }, type: 'password' },
    { name: 'a key in a list', value: { api_keys: [fake('', 32, 'lower')] }, type: 'secret' },
    { name: 'a number named SSN', value: { ssn: ['536', '22', '8726'].join('') }, type: 'ssn' },
  ])('the member name is context: $name', ({ value, type }) => {
    const [finding, ...more] = scanner.scanValue(value, 'tool').findings
    const text = valueAt(value, finding?.span.pointer ?? '?') as string
    expect([finding?.type, finding?.span.start, finding?.span.end, more]).toEqual([type, 0, text.length, []])
  })

  test('a JSON text within a string is searched as text', () => {
    const inner = JSON.stringify({ password: ['c0rrect', 'Horse!'].join(''), note: 'x\ny' })
    const findings = scanner.scanValue({ body: JSON.stringify({ inner }) }, 'tool').findings
    expect(findings.map(({ type }) => type)).toEqual(['password'])
  })

  test('ten thousand levels are scanned', () => {
    const { findings, exhausted } = scanner.scanValue(deep(10_000, token), 'tool')
    expect([findings.length, findings[0]?.span.pointer.split('/').length, exhausted]).toEqual([1, 10_001, false])
  })

  test('every finding is within the string at its pointer', () => {
    const text = fc.constantFrom(token, `password="Zx9!wq7L${token}"`, 'jonas@cuvox.de', '😀', '/~', '')
    const value = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a/b', 'c~d', 'password', '', '__proto__'), tie('json'), { maxKeys: 3 }),
      ),
    })).json
    fc.assert(
      fc.property(value, (json) => {
        for (const { span } of scanner.scanValue(json, 'tool').findings) {
          const found = valueAt(json, span.pointer)
          expect(typeof found).toBe('string')
          expect(span.end).toBeLessThanOrEqual((found as string).length)
        }
      }),
    )
  })
})

test('the words of a mask in a name are not context', () => {
  const text = fake('', 32, 'lower')
  expect(scanner.scanNamed('[masked:secret]', text, 'tool')).toEqual(scanner.scanText(text, 'tool'))
  expect(scanner.scanNamed('api_secret', text, 'tool').matches.length).toBe(1)
})

describe('the budget', () => {
  const small = createScanner({ detectors: [createSecretsDetector()], budgetBytes: 100, budgetNodes: 10 })

  test.each([
    { name: 'within', value: { a: 'x'.repeat(99) }, exhausted: false },
    { name: 'too much text', value: { a: 'x'.repeat(50), b: 'x'.repeat(50) }, exhausted: true },
    { name: 'too much text in names', value: { ['x'.repeat(101)]: 1 }, exhausted: true },
    { name: 'too many values', value: Array.from({ length: 11 }, () => 1), exhausted: true },
    {
      name: 'too many members',
      value: Object.fromEntries(Array.from({ length: 6 }, (_, i) => [i, 1])),
      exhausted: true,
    },
  ])('$name', ({ value, exhausted }) => {
    expect(small.scanValue(value, 'tool').exhausted).toBe(exhausted)
  })

  test('pointers of findings count, so that depth times findings stays bounded', () => {
    const wide = createScanner({ detectors: [createSecretsDetector()], budgetBytes: 20_000 })
    const value = deep(
      2000,
      Array.from({ length: 50 }, () => token),
    )
    expect(wide.scanValue(value, 'tool').exhausted).toBe(true)
  })

  test('a text beyond it is scanned up to it, and the result is marked as exhausted', () => {
    const { matches, exhausted } = small.scanText(`${token} ${'x'.repeat(100)}`, 'tool')
    expect([matches.length, exhausted]).toEqual([1, true])
  })
})

describe('the cache', () => {
  const long = 'x'.repeat(1000)

  test('the same text is scanned once', () => {
    const { detector, calls } = counting()
    const cached = createScanner({ detectors: [detector] })
    for (let i = 0; i < 3; i++) cached.scanText(long, 'tool')
    expect(calls()).toBe(1)
    cached.scanText(long, 'user')
    expect(calls()).toBe(2)
  })

  test('drops the least recent text', () => {
    const { detector, calls } = counting()
    const cached = createScanner({ detectors: [detector], cacheEntries: 2 })
    for (const end of ['a', 'b', 'a', 'c']) cached.scanText(long + end, 'tool')
    expect(calls()).toBe(3)
    cached.scanText(`${long}a`, 'tool')
    expect(calls()).toBe(3)
    cached.scanText(`${long}b`, 'tool')
    expect(calls()).toBe(4)
  })

  test('is bounded in size: of long texts only the last is cached, many shorter ones displace each other', () => {
    const { detector, calls } = counting()
    const cached = createScanner({ detectors: [detector], cacheEntries: 1_000_000 })
    for (const text of ['y', 'y', 'x', 'y']) cached.scanText(text.repeat(70_000), 'tool')
    expect(calls()).toBe(3)
    expect(cached.isKnownClean(undefined, 'y'.repeat(70_000))).toBe(true)
    cached.scanText('another', 'tool')
    expect(cached.isKnownClean(undefined, 'y'.repeat(70_000))).toBe(false)
    for (let i = 0; i < 100; i++) cached.scanText(String(i).padEnd(60_000, 'z'), 'tool')
    cached.scanText('0'.padEnd(60_000, 'z'), 'tool')
    expect(calls()).toBe(105)
  })
})

test('the version names every detector', () => {
  expect(createScanner({ detectors: [counting().detector, createSecretsDetector()] }).version).toBe(
    'counting@3 secrets@5',
  )
})

describe('a rescan', () => {
  test('ends with the first look that shows nothing new, beside values that are not masked in it', () => {
    const { detector, calls } = counting()
    const counted = createScanner({
      detectors: [createSecretsDetector(), createPiiDetector(), { ...detector, masks: true }],
    })
    expect(counted.scanText(`${token} anna.weber@cuvox.de`, 'tool').matches).toHaveLength(2)
    // The text, without the secret, without both.
    expect(calls()).toBe(3)
  })

  /** Finds a word, or its beginning; records the scanned texts. */
  const reader = (whole: Severity): { readonly detector: Detector; readonly asked: () => readonly string[] } => {
    const asked: string[] = []
    const detect = (text: string): readonly Match[] => {
      asked.push(text)
      const found = /detonate/.exec(text) ?? /d/.exec(text)
      if (found === null) return []
      const severity = found[0] === 'd' ? 'medium' : whole
      const [start, end] = [found.index, found.index + found[0].length]
      return [{ category: 'agent_threat', type: 'threat', severity, confidence: 0.9, start, end }]
    }
    return { detector: { id: 'reader', version: '1', detect }, asked: () => asked }
  }
  const threats = (severity: Severity): readonly Severity[] =>
    createScanner({ detectors: [reader(severity).detector, createHiddenTextDetector()] })
      .scanText('d\u200betonate', 'tool')
      .matches.filter(({ category }) => category === 'agent_threat')
      .map((match) => match.severity)

  test('detectors of unmasked categories do not rescan a masked text', () => {
    const { detector, asked } = reader('high')
    createScanner({ detectors: [detector, createSecretsDetector()] }).scanText(`key ${token}`, 'tool')
    expect(asked()).toEqual([`key ${token}`])
  })

  test('a higher severity without the splitting characters is reported too', () => {
    expect(threats('high')).toEqual(['medium', 'high'])
  })

  test('the same severity is reported once', () => {
    expect(threats('medium')).toEqual(['medium'])
  })
})
