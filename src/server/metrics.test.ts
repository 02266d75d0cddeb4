import { expect, test } from 'vitest'
import type { Outcome } from '../core/guard.ts'
import { createMetrics } from './metrics.ts'

test.each([
  { decision: 'allow', counted: 1 },
  { decision: 'deny', counted: 0 },
])(
  'a step that ends in $decision though a guardian failed counts $counted as unguarded',
  async ({ decision, counted }) => {
    const metrics = createMetrics('0')
    const verdict = { decision, unguarded: true, guardians: [{ guardian: 'gone', outcome: 'unreachable' }] }
    metrics.decided({ step: { host: 'h', kind: 'turnStart' }, verdict, tookMs: 1 } as unknown as Outcome)
    const exposed = await metrics.expose()
    expect(exposed).toContain(`sallyport_unguarded_total ${counted}\n`)
    expect(exposed).toContain('sallyport_guardian_failures_total{guardian="gone",why="unreachable"} 1')
  },
)
