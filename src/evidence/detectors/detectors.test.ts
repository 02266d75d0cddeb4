import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fake } from '../../../test/support/fake.ts'
import { hostileText } from '../../../test/support/hostile-text.ts'
import { createAnchorIndex } from './text/anchors.ts'
import { withoutOverlaps } from './overlap.ts'
import { createPiiDetector } from './pii/pii-detector.ts'
import { compileRule } from './rule.ts'
import { createSecretsDetector } from './secrets/secrets-detector.ts'

const detectors = [createSecretsDetector(), createPiiDetector()]

const splitsPair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))

describe.each(detectors)('the detector for $id', (detector) => {
  test('accepts any text; matches are within it, in order, disjoint, and do not split surrogate pairs', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        let from = 0
        for (const { start, end, confidence } of detector.detect(text, 'tool')) {
          expect(start).toBeGreaterThanOrEqual(from)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          expect([splitsPair(text, start), splitsPair(text, end)]).toEqual([false, false])
          expect(confidence > 0 && confidence <= 1).toBe(true)
          from = end
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('is a pure function of the text', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (text, other) => {
        const first = detector.detect(text, 'tool')
        detector.detect(other, 'tool')
        expect(detector.detect(text, 'tool')).toEqual(first)
      }),
      { numRuns: 300 },
    )
  })

  test('finds nothing in text that merely looks random', () => {
    const texts = [
      fake('', 40, 'hex'),
      `"resolved": "https://registry/x-1.0.0.tgz", "integrity": "sha512-${fake('', 86, 'base64')}=="`,
      `![](data:image/png;base64,${fake('iVBORw0KGgo', 4000, 'base64')})`,
      `sha256:${fake('', 64, 'hex')}`,
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      `index ${fake('', 7, 'hex')}..${fake('', 7, 'hex')} 100644`,
    ]
    expect(texts.map((text) => detector.detect(text, 'tool').length)).toEqual([0, 0, 0, 0, 0, 0])
  })
})

describe('the anchor index', () => {
  const visit = (anchors: readonly string[], text: string): readonly (readonly [string, number])[] => {
    const seen: [string, number][] = []
    createAnchorIndex(anchors).each(text, (anchor, at) => seen.push([anchors[anchor] ?? '', at]))
    return seen
  }

  test('finds every place of every anchor in either case, also where they overlap', () => {
    expect(visit(['aba', 'abab', 'bab'], 'xABABa')).toEqual([
      ['aba', 1],
      ['abab', 1],
      ['bab', 2],
      ['aba', 3],
    ])
  })

  test('finds the same as a plain search', () => {
    const word = fc.stringMatching(/^[ab_:/-]{3,5}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 6 }),
        fc.stringMatching(/^[abABc_:/\u0161\u0261-]{0,40}$/),
        (anchors, text) => {
          const expected = anchors.flatMap((anchor) =>
            Array.from({ length: text.length }, (_, at) => at)
              .filter(
                (at) => text.slice(at, at + anchor.length).replaceAll(/[A-Z]/g, (c) => c.toLowerCase()) === anchor,
              )
              .map((at) => `${anchor}@${at}`),
          )
          expect(
            visit(anchors, text)
              .map(([anchor, at]) => `${anchor}@${at}`)
              .toSorted(),
          ).toEqual(expected.toSorted())
        },
      ),
    )
  })

  test.each(['ab', 'ABC', 'äbc'])('refuses %j', (anchor) => {
    expect(() => createAnchorIndex([anchor])).toThrow(TypeError)
  })
})

describe('a rule', () => {
  const base = { type: 'x', severity: 'low', confidence: 0.5 } as const

  test('uses the matched groups, from the first to the last, as the value', () => {
    expect(compileRule({ ...base, pattern: '(?<=(a{1,3}))@(b)|@(c)' }).tryAt('aa@b', 2)).toEqual({
      start: 0,
      end: 4,
      confidence: 0.5,
    })
    expect(compileRule({ ...base, pattern: '(?<=(a{1,3}))@(b)|@(c)' }).tryAt('aa@c', 2)).toEqual({
      start: 3,
      end: 4,
      confidence: 0.5,
    })
  })

  test('may begin before its anchor, but not before the text', () => {
    const rule = compileRule({ ...base, pattern: 'xx@', before: 2 })
    expect(rule.tryAt('xx@', 2)).toEqual({ start: 0, end: 3, confidence: 0.5 })
    expect(rule.tryAt('x@', 1)).toBeUndefined()
  })

  test('does not split a surrogate pair', () => {
    expect(compileRule({ ...base, pattern: '(a.)' }).tryAt('a😀', 0)).toMatchObject({ start: 0, end: 3 })
    expect(compileRule({ ...base, pattern: '(.a)' }).tryAt('😀a', 1)).toMatchObject({ start: 0, end: 3 })
  })

  test('requires its entropy', () => {
    const rule = compileRule({ ...base, pattern: '[a-z]{8}', entropy: 2.5 })
    expect(rule.tryAt('aaaabbbb', 0)).toBeUndefined()
    expect(rule.tryAt('abcdefgh', 0)).toBeDefined()
  })
})

describe('overlapping ranges', () => {
  test('get one type and cover everything', () => {
    const found = [
      { start: 0, end: 5, name: 'weak', rank: 2 },
      { start: 3, end: 9, name: 'strong', rank: 1 },
      { start: 9, end: 11, name: 'next', rank: 3 },
    ]
    expect(withoutOverlaps(found, ({ rank }) => rank).map(({ start, end, name }) => [start, end, name])).toEqual([
      [0, 9, 'strong'],
      [9, 11, 'next'],
    ])
  })
})
