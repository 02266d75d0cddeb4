import { expect } from 'vitest'
import { isObject } from '../../../src/protocol/json.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { a2aParams, AGENT, callOf, contextOf, METHOD_ROWS } from './requests.ts'

const ADDRESS = 'ada.lovelace@analytical-engines.co.uk'
const CARD = '4111 1111 1111 1111'

/** The same with each mention of the address masked, however the mask is spelled. */
const masked = (value: unknown, mask: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(ADDRESS, mask)) as unknown

const maskIn = (value: unknown): string => /write to (\[[^\]]*\]) soon/.exec(JSON.stringify(value))?.[1] ?? 'no mask'

const SENTENCE = /^[A-Z].*[.!]$/s

/** Every method, and the form of results. */
export const proveDecisions = ({ prove, proveEach }: Prover, { ask, decide }: Asker): void => {
  const rows = METHOD_ROWS.map((row, index) => ({ ...row, session: `decisions-${index}` }))

  proveEach(
    rows.map((row) => ({
      ...row,
      name: `${row.method} (${row.session}) goes on`,
      proves: [row.id, 'decision', 'message', 'modified-only'],
    })),
    async ({ method, params, session }) => {
      const { result } = await ask(callOf(method, params('Nothing to see.', session)))
      expect(result).toMatchObject({ decision: 'allow', message: expect.stringMatching(SENTENCE) })
      expect(result).not.toHaveProperty('modifiedRequest')
    },
  )

  proveEach(
    rows.map((row) => ({
      ...row,
      name: `${row.method} (${row.session}) is refused`,
      proves: [row.id, 'decision', 'message', 'reason', 'data', 'modified-only'],
    })),
    async ({ method, params, session }) => {
      const { result } = await ask(callOf(method, params(`Pay with ${CARD} now.`, session)))
      expect(result).toMatchObject({
        decision: 'deny',
        message: expect.stringMatching(SENTENCE),
        reasoning: expect.stringMatching(SENTENCE),
        reasonCode: expect.arrayContaining(['test-forbid']),
        data: {
          policyId: expect.any(String),
          policyVersion: expect.any(String),
          guardian: 'policy',
          findings: expect.arrayContaining([expect.objectContaining({ category: 'pii', type: 'card' })]),
        },
      })
      expect(result).not.toHaveProperty('modifiedRequest')
      expect(JSON.stringify(result)).not.toContain(CARD)
    },
  )

  proveEach(
    rows.map((row) => ({
      ...row,
      name: `${row.method} (${row.session}) is ${row.modifies ? 'changed where it has to be' : 'refused where it would have to be changed'}`,
      proves: row.modifies
        ? [row.id, 'modified-complete', 'modified-rest', 'reason', 'data']
        : [row.id, 'modified-none'],
    })),
    async ({ method, params, session, modifies }) => {
      const request = callOf(method, params(`Please write to ${ADDRESS} soon.`, session), 42)
      const { result } = await ask(request)
      if (!modifies) {
        expect(result).toMatchObject({ decision: 'deny', reasonCode: expect.arrayContaining(['test-mask']) })
        return
      }
      expect(result).toMatchObject({
        decision: 'modify',
        message: expect.stringMatching(SENTENCE),
        data: { policyId: expect.any(String) },
      })
      expect(result.modifiedRequest).toEqual(masked(request, maskIn(result.modifiedRequest)))
      expect(JSON.stringify(result)).not.toContain(ADDRESS)
    },
  )

  const email = (more: JsonObject, session: string): JsonObject => ({ ...more, context: contextOf(session) })
  proveEach(
    [
      {
        name: 'a task method by its name in the schema',
        proves: ['accept-task-names'],
        method: 'task/get',
        params: a2aParams('tasks/get', `write to ${ADDRESS} soon`, 'accept-1'),
      },
      {
        name: 'a method by its name in A2A 1.0',
        proves: ['accept-a2a-names'],
        method: 'SendMessage',
        params: a2aParams('SendMessage', `write to ${ADDRESS} soon`, 'accept-2'),
      },
      {
        name: 'a method by the name of its page',
        proves: ['accept-page-names'],
        method: 'set_task_push_notification_config_request',
        params: a2aParams('tasks/pushNotificationConfig/set', `write to ${ADDRESS} soon`, 'accept-3'),
      },
      {
        name: 'protocols/A2A',
        proves: ['accept-a2a-events'],
        method: 'protocols/A2A',
        params: (({ payload, context }: JsonObject) => ({ message: payload ?? null, context: context ?? null }))(
          a2aParams('message/send', `write to ${ADDRESS} soon`, 'accept-4'),
        ),
      },
      {
        name: 'a raw MCP message in params',
        proves: ['accept-raw-mcp'],
        method: 'protocols/MCP',
        params: {
          jsonrpc: '2.0',
          id: 'raw-1',
          method: 'tools/call',
          params: { name: 'find', arguments: { body: `write to ${ADDRESS} soon` } },
        },
      },
      {
        name: 'an agent without url and instructions',
        proves: ['accept-agent'],
        method: 'steps/memoryStore',
        params: {
          memory: [`write to ${ADDRESS} soon`],
          context: contextOf('accept-5', {
            agent: { id: 'a', name: 'A', version: '1', provider: { name: 'P', url: '' } },
          }),
        },
      },
      {
        name: 'a flat result',
        proves: ['accept-flat-result'],
        method: 'steps/toolCallResult',
        params: email(
          {
            executionId: 'e-1',
            result: { outputs: [{ kind: 'text', text: `write to ${ADDRESS} soon` }], isError: false },
          },
          'accept-6',
        ),
      },
      ...(['citation', 'citations', 'nothing'] as const).map((member) => ({
        name: `a message with ${member}`,
        proves: ['accept-citation'],
        method: 'steps/message',
        params: email(
          {
            message: { id: 'm', role: 'agent', content: [{ text: `write to ${ADDRESS} soon` }] },
            [member]: [{ kind: 'site', url: 'https://example.com' }],
          },
          `accept-${member}`,
        ),
      })),
      {
        name: 'members nobody knows, anywhere',
        proves: ['accept-more'],
        method: 'steps/memoryStore',
        params: {
          memory: [`write to ${ADDRESS} soon`],
          more: { than: 'that' },
          context: contextOf('accept-7', {
            agent: { ...AGENT, mood: 'good' },
            environment: { name: 'prod' },
            more: null,
          }),
        },
      },
    ],
    async ({ method, params }) => {
      const request = callOf(method, params)
      const { result } = await ask(request)
      expect(result).toMatchObject({ decision: 'modify' })
      expect(result.modifiedRequest).toEqual(masked(request, maskIn(result.modifiedRequest)))
    },
  )

  prove(['accept-flat-a2a'], 'an A2A message beside the method comes back there', async () => {
    const { params, ...call } = callOf('message/send', a2aParams('message/send', `write to ${ADDRESS} soon`, 'flat'))
    const request = { ...call, ...(params as JsonObject) }
    const { result } = await ask(request)
    expect(result).toMatchObject({ decision: 'modify' })
    expect(result.modifiedRequest).toEqual(masked(request, maskIn(result.modifiedRequest)))
  })

  const inputs = [{ name: 'to', value: 'a' }]
  const call = { executionId: 'e', toolId: 'tool-2', inputs }
  const result = { outputs: [], isError: false }
  const raw = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const tools = [
    { id: 'tool-2', name: 'one' },
    { id: 'tool-2', name: 'two' },
  ]
  proveEach(
    [
      {
        name: 'two inputs of one name',
        method: 'steps/toolCallRequest',
        params: { toolCallRequest: { ...call, inputs: [...inputs, ...inputs] } },
      },
      { name: 'two calls', method: 'steps/toolCallRequest', params: { toolCallRequest: call, inputs } },
      {
        name: 'inputs by another name too',
        method: 'steps/toolCallRequest',
        params: { toolCallRequest: { ...call, arguments: { to: 'b' } } },
      },
      { name: 'the same of a flat call', method: 'steps/toolCallRequest', params: { ...call, Input: 'b' } },
      {
        name: 'two tools of one id',
        method: 'steps/toolCallRequest',
        params: { toolCallRequest: call, context: contextOf('twice', { agent: { ...AGENT, tools } }) },
      },
      {
        name: 'two results',
        method: 'steps/toolCallResult',
        params: { toolCallResult: { executionId: 'e', result }, result },
      },
      { name: 'two MCP messages', method: 'protocols/MCP', params: { ...raw, message: raw } },
      {
        name: 'an MCP answer that asks as well',
        method: 'protocols/MCP',
        params: { message: { ...raw, result: {} } },
      },
      {
        name: 'an A2A answer that asks as well',
        method: 'message/send',
        params: { ...a2aParams('message/send', 'x', 'twice'), payload: { ...raw, result: {} } },
      },
      {
        name: 'a call of a tool spelled otherwise',
        method: 'protocols/MCP',
        params: { message: { ...raw, method: 'Tools/Call' } },
      },
      { name: 'one that looks like it', method: 'protocols/MCP', params: { ...raw, method: 'tools\uff0fcall ' } },
      {
        name: 'an MCP answer that is both result and error',
        method: 'protocols/MCP',
        params: { message: { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'x' } } },
      },
      {
        name: 'an A2A message of another method',
        method: 'tasks/get',
        params: a2aParams('SendMessage', 'x', 'twice'),
      },
      {
        name: 'an A2A message beside the method and in params',
        method: 'message/send',
        params: a2aParams('message/send', 'x', 'twice'),
        more: { payload: raw },
      },
      {
        name: 'two A2A messages',
        method: 'message/send',
        params: { ...a2aParams('message/send', 'x', 'twice'), message: raw },
      },
    ].map((row) => ({ ...row, proves: ['ambiguous'] })),
    async ({ method, params, ...row }) => {
      const more = 'more' in row ? row.more : {}
      const { error } = await ask({ ...callOf(method, { context: contextOf('twice'), ...params }), ...more })
      expect(error).toMatchObject({ code: -32_602 })
    },
  )

  prove(['recorded'], 'a decision is asked for in its context', async () => {
    const user = { id: 'user-1', organization: { id: 'org-1', name: 'Org' } }
    const { step } = await decide(
      callOf('steps/memoryStore', { memory: ['x'], context: contextOf('recorded', { user }) }),
    )
    expect(step).toMatchObject({
      id: 'step-1',
      host: 'aos',
      session: { id: 'recorded', turn: 'turn-1', user: 'user-1' },
      agent: { id: 'agent-1', type: 'Helper' },
      trace: { agentVersion: '3', framework: 'Example', tenantId: 'org-1' },
    })
    expect(isObject(step.payload)).toBe(true)
  })
}
