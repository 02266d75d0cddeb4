import { analyseEffects } from '../../../src/evidence/effects/analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../../../src/evidence/effects/engine/analysis.ts'
import { createGivenWorld } from '../../../src/evidence/effects/world/given-world.ts'
import { toStep } from '../../../src/policy/case.ts'
import { type Tally, tallyFigures } from '../tally.ts'
import { CALLS, expectedTargets, spoken } from './calls.ts'
import type { WrittenCall } from './written-call.ts'

type Figures = Record<string, number>

const HOME = '/home/user'
const PROJECT = `${HOME}/project`

const targetsFound = ([tool, input]: WrittenCall): ReadonlySet<string> => {
  const [server = '', name = ''] = tool.split(' ')
  const step = toStep({ tool: `mcp__${server}__${name}`, server, input, cwd: PROJECT, project: PROJECT })
  const { effects } = analyseEffects(step, {
    world: createGivenWorld({ files: { [PROJECT]: null }, env: { HOME }, home: HOME }),
    guard: { paths: [], pids: [], addresses: [] },
    budget: DEFAULT_EFFECT_BUDGET,
  })
  return new Set(effects.flatMap(({ targets }) => targets.flatMap((target) => spoken(target) ?? [])))
}

/** Targets found among the arguments of written calls: recipients, channels, accounts, amounts, paths, hosts. */
export const measureTargets = (list: (line: string) => void): Figures => {
  const figures: Figures = {}
  for (const [half, calls] of Object.entries(CALLS)) {
    const lead = `tools_${half.replace('-', '_')}`
    const tally: Tally = { hit: 0, missed: 0, false: 0 }
    for (const call of calls) {
      const { must, may } = expectedTargets(call[2])
      const found = targetsFound(call)
      for (const one of must)
        if (found.has(one)) tally.hit++
        else {
          tally.missed++
          list(`${lead} target missed ${call[0]}: ${one}`)
        }
      for (const one of [...found].filter((target) => !may.has(target))) {
        tally.false++
        list(`${lead} target false ${call[0]}: ${one}`)
      }
    }
    Object.assign(figures, tallyFigures(`${lead}.targets`, tally))
  }
  return figures
}
