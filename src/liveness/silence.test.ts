import { expect, test } from 'vitest'
import { createSilence, type Look } from './silence.ts'

const looks = (count: number, stopped: boolean): readonly Look[] => {
  const silence = createSilence()
  return Array.from({ length: count }, () => silence.look(() => stopped))
}

test('a guard that the system prevents from running is terminated after five checks', () => {
  expect(looks(5, true)).toEqual(['well', 'wait', 'wait', 'wait', 'stopped'])
})

test('one that is silent for an unknown reason has twenty', () => {
  expect(looks(20, false).indexOf('silent')).toBe(19)
})

test('a sign of life begins anew', () => {
  const silence = createSilence()
  const seen = Array.from({ length: 40 }, (_, at) => {
    if (at % 4 === 3) silence.beat()
    return silence.look(() => true)
  })
  expect(seen).not.toContain('stopped')
})
