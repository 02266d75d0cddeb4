import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Bench } from './bench.ts'
import { measureHostile } from './evidence/hostile.ts'
import { plotCost } from './evidence/plot.ts'
import { costBySize, measureDetectorSpeed } from './evidence/speed.ts'

/** What detectors cost: ordinary texts of every size, and texts made to cost. `--plot` writes docs/detector-cost.svg. */
export const detectors: Bench = async () => {
  const speed = measureDetectorSpeed()
  if (process.argv.includes('--plot'))
    writeFileSync(join(import.meta.dirname, '../docs/detector-cost.svg'), plotCost(costBySize(speed)))
  return {
    figures: { ...speed, ...measureHostile() },
    goals: [
      { figure: 'speed.p50_ms_10kb', op: '<=', value: 2 },
      { figure: 'speed.ratio_linear', op: '<=', value: 1.25 },
      { figure: 'hostile.worst_ms_10kb', op: '<=', value: 5 },
      { figure: 'hostile.worst_growth', op: '<=', value: 1.5 },
    ],
  }
}
