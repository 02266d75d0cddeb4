import process from 'node:process'
import type { Bench, Measured } from './bench.ts'
import { measureHeldOut } from './evidence/held-out.ts'
import { measureShell } from './evidence/shell.ts'
import { measureSpeed } from './evidence/speed.ts'
import { measureTargets } from './evidence/tools/measure-targets.ts'
import { measureTools } from './evidence/tools/measure-tools.ts'
import { measureTexts } from './evidence/texts.ts'

const GOALS: Measured['goals'] = [
  { figure: 'dcg.denies_denied', op: '>=', value: 0.97 },
  { figure: 'dcg.allows_denied', op: '<=', value: 0.01 },
  { figure: 'shell_tldr_benign.denied', op: '<=', value: 0.005 },
  { figure: 'tools_held_out.hole', op: '<=', value: 0.02 },
  { figure: 'tools_held_out.nuisance', op: '<=', value: 0.05 },
  { figure: 'injection.model_is_reproduced', op: '>=', value: 1 },
  { figure: 'injection.page_is_current', op: '>=', value: 1 },
  { figure: 'injection_user.fpr', op: '<=', value: 0.01 },
  { figure: 'injection_tool.fpr', op: '<=', value: 0.01 },
  { figure: 'injection_agent.fpr', op: '<=', value: 0.01 },
  { figure: 'injection_tool.grave_fpr', op: '<=', value: 0.001 },
  { figure: 'injection_agent.grave_fpr', op: '<=', value: 0.001 },
  { figure: 'speed.p50_ms_10kb', op: '<=', value: 2 },
  { figure: 'speed.ratio_linear', op: '<=', value: 1.25 },
  { figure: 'speed.pipeline_p50_ms', op: '<=', value: 0.25 },
]

/**
 * What detectors, analysis and policies say of data that others wrote, a set at a time: `<set>.<metric>`. `--list` prints
 * every disagreement on standard error. Sets that are not there are named and left out, with the goals on them.
 */
export const evidence: Bench = async () => {
  const list = process.argv.includes('--list')
    ? (line: string): void => {
        console.error(line)
      }
    : (): void => {}
  const speed = measureSpeed()
  const tools = { ...measureTools(list), ...measureTargets(list) }
  const texts = { ...(await measureTexts(list)), ...(await measureHeldOut()) }
  const figures = { ...(await measureShell(list)), ...texts, ...tools, ...speed }
  return { figures, goals: GOALS.filter(({ figure }) => figure in figures) }
}
