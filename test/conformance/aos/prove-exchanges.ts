import { join } from 'node:path'
import { expect } from 'vitest'
import { createAosHost } from '../../../src/hosts/aos/host.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { readCall } from '../../../src/protocol/json-rpc.ts'
import { openSqliteStore } from '../../../src/record/stores/sqlite.ts'
import type { StoredEvent } from '../../../src/record/stores/store.ts'
import type { Judge } from '../../../src/core/judge.ts'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { NAMES } from './method-names.ts'
import { a2aParams, AGENT, callOf, contextOf } from './requests.ts'

const mcp = (message: JsonObject, session: string): readonly [JsonObject, string] => [
  callOf('protocols/MCP', { message: { jsonrpc: '2.0', ...message } }),
  `?session=${session}&server=library`,
]

const { id: _, ...OWN } = AGENT
const PEER: JsonObject = { name: 'Peer', url: 'https://peer.example/v1', version: '1.0.0' }
const asClient = { from: { agent: OWN, role: 'client' }, to: { agent: PEER, role: 'server' } }
const asServer = { from: { agent: PEER, role: 'client' }, to: { agent: OWN, role: 'server' } }
const answer = (context: JsonObject, session: string): JsonObject => ({
  payload: {
    jsonrpc: '2.0',
    id: 1,
    result: { kind: 'message', contextId: session, parts: [{ kind: 'text', text: 'yes' }] },
  },
  context,
})

/** Directions, calls and their results. */
export const proveExchanges = ({ prove, proveEach }: Prover, { decide }: Asker): void => {
  proveEach(
    [
      {
        name: 'a request of the client',
        message: { id: 1, method: 'resources/read', params: {} },
        direction: 'outbound',
      },
      { name: 'a result', message: { id: 2, result: {} }, direction: 'inbound' },
      { name: 'an error', message: { id: 3, error: { code: -1, message: 'no' } }, direction: 'inbound' },
      {
        name: 'what the server asks',
        message: { id: 4, method: 'elicitation/create', params: {} },
        direction: 'inbound',
      },
      { name: 'what the server tells', message: { method: 'notifications/message' }, direction: 'inbound' },
      { name: 'a method that nobody knows', message: { id: 5, method: 'x/y' }, direction: 'inbound' },
    ].map((row) => ({ ...row, proves: ['direction-mcp', 'method-mcp'] })),
    async ({ message, direction }) => {
      const { step } = await decide(...mcp(message, 'mcp-directions'))
      expect(step).toMatchObject({
        kind: 'mcpMessage',
        payload: { direction, server: 'library' },
        session: { id: 'mcp-directions' },
      })
    },
  )

  proveEach(
    [
      { name: 'the client asks', params: a2aParams('message/send', 'hi', 'a', asClient), direction: 'outbound' },
      { name: 'the client is answered', params: answer(asClient, 'a'), direction: 'inbound' },
      { name: 'the server is asked', params: a2aParams('message/send', 'hi', 'a', asServer), direction: 'inbound' },
      { name: 'the server answers', params: answer(asServer, 'a'), direction: 'outbound' },
    ].map((row) => ({ ...row, proves: ['direction-a2a', 'method-a2a-send'] })),
    async ({ params, direction }) => {
      const { step } = await decide(callOf('message/send', params))
      expect(step).toMatchObject({
        kind: 'a2aMessage',
        payload: { direction, peer: 'Peer' },
        agent: { type: 'Helper' },
      })
    },
  )

  proveEach(
    NAMES.flatMap(([proves, method, names]) =>
      names.map((name) => ({ name: `${name} is ${method}`, proves: [proves], asked: name, method })),
    ),
    async ({ asked, method }) => {
      const { step, reply } = await decide(callOf(asked, a2aParams(asked, 'hi', 'names')))
      expect(step).toMatchObject({ event: method, payload: { method } })
      expect(reply.result.decision).toBe('allow')
    },
  )

  prove(['mcp-tools', 'method-mcp'], 'tools/call and its result are those of a tool', async () => {
    const call = { id: 1, method: 'tools/call', params: { name: 'run_command', arguments: { command: 'rm -rf ~' } } }
    const denied = await decide(...mcp(call, 'mcp-tools'))
    expect(denied).toMatchObject({ reply: { result: { decision: 'deny' } }, step: { kind: 'toolCallRequest' } })
    const harmless = { ...call, params: { name: 'run_command', arguments: { command: 'ls' } } }
    expect(await decide(...mcp(harmless, 'mcp-tools'))).toMatchObject({
      reply: { result: { decision: 'allow' } },
      step: { payload: { tool: { name: 'run_command', server: 'library' }, input: { command: 'ls' } } },
    })
    expect(await decide(...mcp({ id: 1, result: { content: [], isError: true } }, 'mcp-tools'))).toMatchObject({
      step: {
        kind: 'toolCallResult',
        payload: { tool: { name: 'run_command' }, input: { command: 'ls' }, status: 'failed' },
      },
    })
  })

  const toolCall = (executionId: string, toolId: string, session: string) =>
    callOf('steps/toolCallRequest', {
      toolCallRequest: { executionId, toolId, inputs: [{ name: 'command', value: 'ls' }] },
      context: contextOf(session),
    })
  const toolResult = (executionId: string, session: string) =>
    callOf('steps/toolCallResult', {
      toolCallResult: { executionId, result: { outputs: [{ kind: 'text', text: 'a.txt' }], isError: false } },
      context: contextOf(session),
    })

  proveEach(
    [
      {
        name: 'of a call that was let through',
        calls: [['e-1', 'tool-1']],
        tool: { name: 'Bash' },
        input: { command: 'ls' },
      },
      { name: 'of a call that nobody saw', calls: [['e-2', 'tool-1']], tool: { name: 'unknown' }, input: {} },
      {
        name: 'of one of two calls',
        calls: [
          ['e-1', 'tool-1'],
          ['e-1', 'tool-2'],
        ],
        tool: { name: 'unknown' },
        input: {},
      },
    ].map((row, index) => ({ ...row, session: `join-${index}`, proves: ['join', 'method-tool-result'] })),
    async ({ calls, tool, input, session }) => {
      for (const [execution = '', id = ''] of calls) await decide(toolCall(execution, id, session))
      const { step } = await decide(toolResult('e-1', session))
      expect(step.payload).toMatchObject({ tool, input, callId: 'e-1' })
    },
  )

  prove(['join'], 'the result of a call that was refused is not that of an earlier one with its id', async () => {
    const session = 'join-refused'
    await decide(toolCall('e-1', 'tool-1', session))
    await decide(toolResult('e-1', session))
    const { params, ...rest } = toolCall('e-1', 'tool-1', session)
    const inputs = [{ name: 'command', value: 'rm -rf ~' }]
    const refused = {
      ...rest,
      params: { ...(params as JsonObject), toolCallRequest: { executionId: 'e-1', toolId: 'tool-1', inputs } },
    }
    expect((await decide(refused)).reply.result.decision).toBe('deny')
    expect((await decide(toolResult('e-1', session))).step.payload).toMatchObject({
      tool: { name: 'unknown' },
      input: {},
    })
  })

  prove(['join'], 'what a tool of no known call says makes the session untrusted', async () => {
    await decide(toolResult('e-9', 'join-taint'))
    const { evidence } = await decide(toolCall('e-10', 'tool-1', 'join-taint'))
    expect(evidence.labels).toContain('untrusted')
  })
}

const PARENT = { traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8) }
const traceparent = `00-${PARENT.traceId}-${PARENT.spanId}-01`

/** Records, and decisions that cannot be recorded. */
export const proveRecord = ({ prove, proveEach }: Prover, { decide, guard }: Asker): void => {
  const memory = (session: string, more: JsonObject = {}) =>
    callOf('steps/memoryStore', { memory: ['x'], reasoning: 'They asked for it.', context: contextOf(session, more) })

  proveEach(
    [
      { name: 'the header of the request', session: 'trace-1', more: {}, headers: { traceparent } },
      {
        name: 'the metadata of the context',
        session: 'trace-2',
        more: { metadata: { traceparent } },
        headers: { traceparent: `00-${'c3'.repeat(16)}-${PARENT.spanId}-01` },
      },
    ].map((row) => ({ ...row, proves: ['trace', 'recorded'] })),
    async ({ session, more, headers }) => {
      const { reply } = await decide(memory(session, more), '', headers)
      expect(reply.result.data.traceId).toBe(PARENT.traceId)
      const store = openSqliteStore({ path: join(guard().data, 'trace.db') })
      const events: StoredEvent[] = []
      for await (const event of store.events({ session, limit: 9 })) events.push(event)
      await store.close()
      expect(events).toMatchObject([
        {
          type: 'HookDecision',
          body: {
            envelope: {
              traceId: PARENT.traceId,
              parentSpanId: PARENT.spanId,
              agentRef: 'agent-1',
              turnId: 'turn-1',
              stepId: 'step-1',
            },
            step: { reasoning: 'They asked for it.' },
            masked: [],
          },
        },
      ])
    },
  )

  prove(['trace'], 'a session has one trace of its own when the caller has none', async () => {
    const [one, two] = [
      await decide(memory('trace-3')),
      await decide(memory('trace-3'), '', { traceparent: 'nonsense' }),
    ]
    expect(one.reply.result.data.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(two.reply.result.data.traceId).toBe(one.reply.result.data.traceId)
  })

  prove(['approval'], 'what a person has to agree to waits for one', async () => {
    const inputs = [{ name: 'command', value: 'git remote set-url origin https://elsewhere.example/app.git' }]
    const { reply } = await decide(
      callOf('steps/toolCallRequest', {
        toolCallRequest: { executionId: 'e-1', toolId: 'tool-1', inputs },
        context: contextOf('approval'),
      }),
    )
    expect(reply.result).toMatchObject({
      decision: 'deny',
      reasonCode: expect.arrayContaining(['SP_APPROVAL_PENDING']),
      data: { approvalId: expect.stringMatching(/\w/), downgradedFrom: 'ask' },
    })
    expect(reply.result.message).toContain(reply.result.data.approvalId)
  })

  const lost: Judge = async () => ({
    outcome: 'lost',
    notice: { code: 'SP_STORE_UNAVAILABLE', details: { detail: 'the disk is full', path: '/data/trace.db' } },
  })
  const broken: Judge = async () => {
    throw new Error('a secret of the inside')
  }
  proveEach(
    [
      { name: 'a decision that could not be kept', judge: lost, code: 'SP_STORE_UNAVAILABLE', faults: 0 },
      { name: 'a fault', judge: broken, code: 'SP_GUARD_FAILED', faults: 1 },
    ].map((row) => ({ ...row, proves: ['closed'] })),
    async ({ judge, code, faults }) => {
      const seen: unknown[] = []
      const host = createAosHost({ fault: (error) => seen.push(error) })
      const call = readCall(memory('closed'))
      if (call.outcome === 'invalid') throw new Error(call.detail)
      const given = await host.answer(call.call, { at: 0, makeId: () => 'made', query: new Map() }, judge)
      expect(given).toMatchObject({
        outcome: 'result',
        result: { decision: 'deny', message: expect.any(String), reasonCode: [code] },
      })
      expect(JSON.stringify(given)).not.toContain('secret')
      expect(seen).toHaveLength(faults)
    },
  )
}
