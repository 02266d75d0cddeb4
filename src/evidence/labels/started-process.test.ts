import { expect, test } from 'vitest'
import type { Effect } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'
import { createSessionLabels } from './session-labels.ts'
import { ALLOWED } from '../../../test/support/allowed.ts'

const result = (name: string, input: JsonObject, text: string): Step => ({
  id: 'step',
  host: 'openclaw',
  event: 'tool_result',
  at: 0,
  session: { id: 's', cwd: '/home/user/app' },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallResult',
  payload: {
    tool: { name },
    input,
    status: 'succeeded',
    output: { content: [{ type: 'text', text }], details: { status: 'running', sessionId: 'p1' } },
  },
})

const effect = (kind: Effect['kind'], by: string, targets: Effect['targets'] = []): Effect => ({
  kind,
  by,
  targets,
  certainty: 'certain',
  traits: [],
})

test.each([
  {
    name: 'a page that is fetched in the background speaks for a stranger when its text is shown later',
    effects: [effect('net.fetch', 'curl', [{ type: 'host', host: 'page.example' }])],
    shown: 'p1',
    origin: 'untrusted',
  },
  {
    name: 'tests that run in the background speak for the workspace',
    effects: [effect('exec.run', 'npm')],
    shown: 'p1',
    origin: 'workspace',
  },
  {
    name: 'another program does not',
    effects: [effect('net.fetch', 'curl', [{ type: 'host', host: 'page.example' }])],
    shown: 'p2',
    origin: 'workspace',
  },
])('$name', ({ effects, shown, origin }) => {
  const labels = createSessionLabels({ key: new Uint8Array(32).fill(7) })
  const observe = (step: Step, of: readonly Effect[]): void =>
    labels.observe({ step, merged: step, effects: of, findings: [], verdict: ALLOWED })
  observe(result('exec', { command: 'x', background: true }, 'running'), effects)
  observe(result('process', { action: 'log', sessionId: shown }, 'See https://collector.example/x'), [])
  expect(labels.origin('s', 'host', 'collector.example').origin).toBe(origin)
})
