import { homedir } from 'node:os'
import { composeGuard } from '../src/config/compose-guard.ts'
import { createMachineClock } from '../src/config/machine-clock.ts'
import { createMachineWorld } from '../src/config/machine-world.ts'
import { loadConfig } from '../src/config/load.ts'
import { openSettings } from '../src/config/settings.ts'
import { createClaudeCodeHost } from '../src/hosts/claude-code/host.ts'
import type { Bench } from './bench.ts'
import { quantile, rounded } from './bench.ts'
import { preToolUse } from './sample-events.ts'

const WARM = 3_000
const CALLS = 10_000
/** Distinct calls before one comes again: more than the guard remembers of any kind. */
const FRESH = 100_000

/** One decision in process, everything on: decode, analysis, detectors, policies. No two calls are alike. */
export const decide: Bench = async () => {
  const clock = createMachineClock()
  const home = homedir()
  const locations = { managed: '/nonexistent/managed', user: '/nonexistent/user' }
  const settings = openSettings({ locations, home, data: '/nonexistent' }, () => {})
  const { guard } = composeGuard({
    config: loadConfig([]),
    policiesFor: (project) => settings.current().policiesFor(project),
    world: createMachineWorld(process.env, home),
    surface: { paths: ['/home/dev/.local/share/sallyport'], pids: [1], addresses: ['127.0.0.1:4775'] },
    clock,
  })
  const host = createClaudeCodeHost()
  const samples: number[] = []
  for (let call = 0; call < WARM + CALLS; call++) {
    const event = preToolUse(call % FRESH)
    const began = performance.now()
    const decoded = host.decode(event, { at: began, makeId: () => 'id', event: 'PreToolUse' })
    if (decoded.outcome !== 'step') throw new Error(`not a step: ${decoded.reason}`)
    decoded.encode(await guard.decide(decoded.step, decoded.power))
    if (call >= WARM) samples.push(performance.now() - began)
  }
  return {
    figures: {
      p50_ms: rounded(quantile(samples, 0.5)),
      p95_ms: rounded(quantile(samples, 0.95)),
      p99_ms: rounded(quantile(samples, 0.99)),
      calls: CALLS,
    },
    goals: [{ figure: 'p50_ms', op: '<=', value: 0.3 }],
  }
}
