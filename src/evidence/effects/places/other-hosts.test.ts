import { expect, test } from 'vitest'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../engine/analysis.ts'
import { callOf, GUARD, WORLD } from '../fixture.ts'

test.each([
  { name: 'Bash', input: { cmd: 'rm -rf ~' } },
  { name: 'Bash', input: { command: 'rm -rf ~' } },
  { name: 'TodoWrite', input: { command: 'rm -rf ~' } },
  { name: 'PowerShell', input: { command: 'Remove-Item -Recurse -Force ~' } },
])('a tool of another host that is called $name is read by what it is given: $input', ({ name, input }) => {
  const step = { ...callOf(name, input), host: 'aos' }
  const { effects } = analyseEffects(step, { world: WORLD, guard: GUARD, budget: DEFAULT_EFFECT_BUDGET })
  expect(effects.filter(({ kind }) => kind === 'fs.delete')).toMatchObject([
    { targets: [{ type: 'path', path: WORLD.home, zone: 'home' }] },
  ])
})
