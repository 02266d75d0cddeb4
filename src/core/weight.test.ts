import { expect, test } from 'vitest'
import type { Json } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'
import { LARGE_STEP, weightOf } from './weight.ts'

const stepOf = (payload: Json): Step => ({ payload }) as unknown as Step

test.each([
  { name: 'a short command', payload: { input: { command: 'ls -la' } }, isLarge: false },
  { name: 'a long text', payload: { output: 'a'.repeat(20_000) }, isLarge: true },
  { name: 'many short texts', payload: { output: Array.from({ length: 200 }, () => 'a') }, isLarge: true },
  {
    name: 'many names',
    payload: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 1])),
    isLarge: true,
  },
  { name: 'a long name', payload: { ['k'.repeat(20_000)]: 1 }, isLarge: true },
  { name: 'a deep value', payload: JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as Json, isLarge: true },
])('$name: large $isLarge', ({ payload, isLarge }) => {
  expect(weightOf(stepOf(payload), LARGE_STEP) > LARGE_STEP).toBe(isLarge)
})

test('counting ends at the limit', () => {
  const endless = { output: Array.from({ length: 100_000 }, () => 'a') }
  expect(weightOf(stepOf(endless), LARGE_STEP)).toBeLessThan(200_000)
})
