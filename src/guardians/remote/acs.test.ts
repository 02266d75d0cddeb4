import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyOf, signatureFor } from '../../../test/conformance/acs/client.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { NO_EVIDENCE } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'
import { createAcsProtocol } from './acs.ts'

const SECRET = 'a secret of the test'
const session = randomUUID()

type Params = { readonly request_id: string }

/** A guardian that says hello, evaluates some methods and answers them, signed with a secret. */
const guardianOf = (evaluated: readonly string[], answered: Record<string, unknown> = {}, secret = SECRET) => {
  const asked: string[] = []
  const client: RpcClient = {
    async call(make) {
      const request = make()
      asked.push(request.method)
      const greeting = request.method === 'handshake/hello'
      const head = { type: 'final', request_id: (request.params as unknown as Params).request_id }
      const result = greeting ? { payload: { methods_evaluated: evaluated } } : { ...head, ...answered }
      const key = keyOf(greeting ? SECRET : secret, session)
      const value = signatureFor({ jsonrpc: '2.0', id: request.id, result }, key)
      const signed = { ...result, signature: { algorithm: 'HMAC-SHA256', value, key_id: 'default' } } as JsonObject
      return { outcome: 'result', result: signed, reply: { jsonrpc: '2.0', id: request.id, result: signed }, request }
    },
  }
  return { client, asked }
}

const step: Step = {
  id: 'call-1',
  host: 'claude-code',
  event: 'PreToolUse',
  at: 1,
  session: { id: session },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallRequest',
  payload: { tool: { name: 'Bash' }, input: { command: 'ls' } },
}

const ask = async (
  client: RpcClient,
  { named = false, about = step }: { readonly named?: boolean; readonly about?: Step } = {},
) => {
  const protocol = createAcsProtocol({
    client,
    makeId: () => randomUUID(),
    secret: Buffer.from(SECRET),
    now: () => 1,
    named,
  })
  return protocol.ask(about, { evidence: NO_EVIDENCE, signal: AbortSignal.timeout(1_000), now: () => 1 })
}

test.each([
  {
    name: 'has no objection to a step it does not evaluate, which is recorded as not asked',
    named: false,
    opinion: { outcome: 'verdict', decision: 'allow', reason: expect.stringContaining('Skipped') },
  },
  { name: 'has failed where it was named for the step', named: true, opinion: { outcome: 'failed', why: 'invalid' } },
])('a guardian $name', async ({ named, opinion }) => {
  const { client, asked } = guardianOf(['steps/userMessage'])
  expect(await ask(client, { named })).toMatchObject(opinion)
  expect(asked).toEqual(['handshake/hello'])
})

test.each([
  { name: 'says so', secret: SECRET, opinion: { outcome: 'verdict', decision: 'allow' } },
  { name: 'is somebody else', secret: 'another secret', opinion: { outcome: 'failed', why: 'invalid' } },
])('a guardian whose answer $name', async ({ secret, opinion }) => {
  expect(await ask(guardianOf(['steps/toolCallRequest'], { decision: 'allow' }, secret).client)).toMatchObject(opinion)
})

const notification = {
  ...step,
  kind: 'mcpMessage',
  payload: { direction: 'inbound', server: 's', message: { jsonrpc: '2.0', method: 'notifications/message' } },
} as Step

test.each([
  { evaluated: 'protocols/MCP/notifications/message', times: 2 },
  { evaluated: 'protocols/MCP/*', times: 2 },
  { evaluated: 'protocols/MCP/resources/read', times: 1 },
])('a notification of MCP goes to who evaluates $evaluated, in $times requests', async ({ evaluated, times }) => {
  const { client, asked } = guardianOf([evaluated], { decision: 'deny' })
  await ask(client, { about: notification })
  expect(asked).toHaveLength(times)
})
