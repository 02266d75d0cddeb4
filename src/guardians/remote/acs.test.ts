import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyOf, signatureFor } from '../../../test/conformance/acs/client.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { NO_EVIDENCE } from '../../protocol/evidence.ts'
import type { Step } from '../../protocol/step.ts'
import { createAcsProtocol } from './acs.ts'

const SECRET = 'a secret of the test'
const session = randomUUID()

/** A guardian that says hello and evaluates messages of people alone. */
const client: RpcClient = {
  async call(make) {
    const request = make()
    const result = { payload: { methods_evaluated: ['steps/userMessage'] } }
    const value = signatureFor({ jsonrpc: '2.0', id: request.id, result }, keyOf(SECRET, session))
    const signed = { ...result, signature: { algorithm: 'HMAC-SHA256', value, key_id: 'default' } }
    return { outcome: 'result', result: signed, reply: { jsonrpc: '2.0', id: request.id, result: signed }, request }
  },
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

test.each([
  {
    name: 'has nothing against a step it does not evaluate',
    named: false,
    opinion: { outcome: 'verdict', decision: 'allow', reason: expect.stringContaining('Not asked') },
  },
  { name: 'has failed where it was named for the step', named: true, opinion: { outcome: 'failed', why: 'invalid' } },
])('a guardian $name', async ({ named, opinion }) => {
  const protocol = createAcsProtocol({
    client,
    makeId: () => randomUUID(),
    secret: Buffer.from(SECRET),
    now: () => 1,
    named,
  })
  const context = { evidence: NO_EVIDENCE, signal: AbortSignal.timeout(1_000), now: () => 1 }
  expect(await protocol.ask(step, context)).toMatchObject(opinion)
})
