import type { Bench } from './bench.ts'
import { quantile, rounded } from './bench.ts'
import type { Step } from '../src/protocol/step.ts'
import { createInProcessGuard } from './in-process-guard.ts'
import { preToolUse } from './sample-events.ts'

const WARM = 3_000
const CALLS = 10_000

/** One decision in process, everything on: decode, analysis, detectors, policies, encode. No two calls are alike. */
export const decide: Bench = async () => {
  const guard = createInProcessGuard()
  const samples: number[] = []
  let step: Step | undefined
  for (let call = 0; call < WARM + CALLS; call++) {
    const event = preToolUse(call)
    const began = performance.now()
    step = (await guard.answer(event)).step
    if (call >= WARM) samples.push(performance.now() - began)
  }
  const began = performance.now()
  if (step !== undefined) for (let look = 0; look < CALLS; look++) guard.look(step)
  const watchUs = ((performance.now() - began) * 1_000) / CALLS
  return {
    figures: {
      p50_ms: rounded(quantile(samples, 0.5)),
      p95_ms: rounded(quantile(samples, 0.95)),
      p99_ms: rounded(quantile(samples, 0.99)),
      watch_us: rounded(watchUs),
      calls: CALLS,
    },
    goals: [
      { figure: 'p50_ms', op: '<=', value: 0.3 },
      { figure: 'watch_us', op: '<=', value: 20 },
    ],
  }
}
