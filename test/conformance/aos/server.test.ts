import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAskedGuard } from './guard.ts'
import type { AskedGuard } from './guard.ts'

let guard: AskedGuard
beforeAll(async () => {
  guard = await startAskedGuard()
})
afterAll(async () => guard.stop())

const context = {
  agent: {
    id: 'agent-1',
    name: 'Helper',
    url: 'https://agents.example/helper',
    instructions: 'Help.',
    version: '3',
    provider: { name: 'Example', url: 'https://example.com' },
    tools: [{ id: 'tool-1', name: 'Bash', type: 'function', arguments: null, outputs: null }],
  },
  session: { id: 'session-1' },
  turnId: 'turn-1',
  stepId: 'step-1',
  timestamp: '2026-01-24T15:30:45.123Z',
}

test('a call of a tool that destroys is refused, and a harmless one is let through', async () => {
  const call = (command: string) => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'steps/toolCallRequest',
    params: {
      toolCallRequest: { executionId: command, toolId: 'tool-1', inputs: [{ name: 'command', value: command }] },
      context,
    },
  })
  expect(await guard.ask(call('rm -rf ~'))).toMatchObject({ jsonrpc: '2.0', id: 7, result: { decision: 'deny' } })
  expect(await guard.ask(call('ls'))).toMatchObject({ id: 7, result: { decision: 'allow' } })
})
