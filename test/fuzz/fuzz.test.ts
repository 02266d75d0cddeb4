import { expect, test } from 'vitest'
import { runTarget, target } from './target.ts'
import { loadTargets } from './targets.ts'

/** A taste of what `npm run fuzz` does at length (docs/fuzzing.md), with other cases whenever the seed is changed. */
const CASES = 150
const SLOW_CASES = 40
const SEED = 1

const targets = await loadTargets()

test.each(targets)('$name obeys its laws on hostile inputs', (one) => {
  const { broken } = runTarget(one, one.slow ? SLOW_CASES : CASES, SEED)
  expect(broken).toBeUndefined()
})

test('a broken law is reported with the input that breaks it', () => {
  const [{ inputs } = { inputs: undefined }] = targets
  if (inputs === undefined) throw new Error('no targets')
  const broken = target('broken', inputs, (input) => {
    if (String(input).includes('r')) throw new Error('a law')
  })
  expect(runTarget(broken, 1_000, SEED).broken?.why).toContain('a law')
})
