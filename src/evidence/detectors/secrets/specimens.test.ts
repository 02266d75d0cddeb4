import { describe, expect, test } from 'vitest'
import { createSecretsDetector } from './secrets-detector.ts'
import { fingerprint, isSpecimen } from './specimens.ts'

const detector = createSecretsDetector()

/** Values published by providers, in pieces. */
const PRINTED = [
  {
    name: 'the key of the storage emulator',
    text: [
      'AccountKey=',
      'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu',
      'Fq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
    ],
  },
  { name: 'a token in the documentation of GitHub', text: ['', 'ghp', '_16C7e42F292c6912E7710c838347Ae178B4a'] },
  { name: 'a key in the documentation of maps', text: ['?key=', 'AIzaSyB41DRUbKWJ', 'HPxaFjMAwdrzWzbVKartNGg'] },
]

describe('keys published by their providers', () => {
  test.each(PRINTED)('$name is not a secret', ({ text: [before = '', ...pieces] }) => {
    expect(isSpecimen(pieces.join(''))).toBe(true)
    expect(detector.detect(before + pieces.join(''), 'tool')).toEqual([])
  })
  test.each(PRINTED)('$name with a changed letter is one', ({ text: [before = '', ...pieces] }) => {
    const other = pieces.join('').replace(/6/, '7').replace(/K/, 'L')
    expect(isSpecimen(other)).toBe(false)
    expect(detector.detect(before + other, 'tool')).toHaveLength(1)
  })
  test('the fingerprint is the one that the list was made with', () => {
    expect([fingerprint(''), fingerprint('a'), fingerprint('b')]).toEqual([
      3338908027751811, 7929297801672961, 8684336938537663,
    ])
  })
})
