import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileText } from '../../../../test/support/hostile-text.ts'
import { plain, createToxicDetector } from './toxic-detector.ts'

const detector = createToxicDetector()
const found = (text: string): readonly string[] =>
  detector.detect(text, 'user').map(({ type, severity }) => `${type} ${severity}`)

/** Samples are in ROT13, like the lexicon. */
const hidden = (text: string): string => plain(text)

describe('toxic text', () => {
  test.each([
    ['a slur', hidden('lbh ner n snttbg'), ['hate high']],
    ['an insult', hidden('lbh ovgpu'), ['insult medium']],
    ['profanity', hidden('jung gur shpx'), ['profanity low']],
    ['a threat', hidden('tb xvyy lbhefrys abj'), ['threat high']],
    ['digits for letters', hidden('ohyyf').slice(0, 4) + hidden('fu') + '1t', ['profanity low']],
    ['letters once more', hidden('shhhhpxvat'), ['profanity low']],
    ['letters spread out', hidden('shpx').split('').join(' '), ['profanity low']],
    ['letters with stops', hidden('ovgpu').split('').join('.'), ['insult medium']],
    ['a letter blotted out', hidden('s') + '*' + hidden('px'), ['profanity low']],
    ['look-alikes', hidden('ovgpu').replace('c', 'с').replace('i', 'і'), ['insult medium']],
    ['a report counts less', hidden('Ur pnyyrq ure n ovgpu').replace('Hr', 'He'), ['insult low']],
  ])('%s', (_, text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  test.each([
    'The assassin passed the Scunthorpe glass class.',
    'Kill the process and hang up; the child dies with its parent.',
    'const hits = cache.hit(shift, analysis)',
    'Dick Cheney met the cockpit crew in Essex.',
    'a b c d e f g',
    'kill yourself: no such process'.replace('yourself', '-9 4242'),
  ])('nothing in: %s', (text) => {
    expect(found(text)).toEqual([])
  })

  test('accepts any text; matches are within it, in order and disjoint', () => {
    const rude = fc
      .array(fc.constantFrom('f u c k', 'b.i.t.c.h', 'sh1t', '😀', ' ', '"', 'ſ', 'İ', 'ﬀ', '*', '@'), {
        maxLength: 10,
      })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(hostileText, rude), (text) => {
        let from = 0
        for (const { start, end, confidence } of detector.detect(text, 'tool')) {
          expect(start).toBeGreaterThanOrEqual(from)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(confidence > 0 && confidence <= 1).toBe(true)
          from = end
        }
      }),
      { numRuns: 2000 },
    )
  })
})
