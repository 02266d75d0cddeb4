import { expect, test } from 'vitest'
import { minutesIn } from './period.ts'

test.each([
  ['30m', 30],
  ['12h', 720],
  ['7d', 10_080],
  ['4w', 40_320],
  ['0d', 0],
  ['30', undefined],
  ['1.5h', undefined],
  ['3y', undefined],
  ['', undefined],
])('%s has %s minutes', (text, minutes) => {
  expect(minutesIn(text)).toBe(minutes)
})
