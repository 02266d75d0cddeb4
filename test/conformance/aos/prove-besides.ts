import { expect } from 'vitest'
import { isObject } from '../../../src/protocol/json.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { a2aParams, AGENT, callOf, contextOf, METHOD_ROWS } from './requests.ts'

const CARD = '4111 1111 1111 1111'
const ADDRESS = 'ada.lovelace@analytical-engines.co.uk'

/** The same with a member more in the object at this path. */
const withMember = (value: Json, [name, ...path]: readonly string[], member: string, content: Json): Json => {
  if (name === undefined) return { ...(value as JsonObject), [member]: content }
  if (Array.isArray(value))
    return value.map((one, index) => (index === Number(name) ? withMember(one, path, member, content) : one))
  const object = value as JsonObject
  return { ...object, [name]: withMember(object[name] ?? null, path, member, content) }
}

/** Objects of the standard that a caller may put more into; whether it can be changed there. */
const PLACES: readonly (readonly [method: string, path: string, changed: boolean])[] = [
  ...[...new Set(METHOD_ROWS.filter(({ modifies }) => modifies).map(({ method }) => method))].map(
    (method) => [method, '', true] as const,
  ),
  ['steps/agentTrigger', 'trigger', true],
  ['steps/agentTrigger', 'trigger/event', true],
  ['steps/message', 'message', true],
  ['steps/message', 'message/content/0', true],
  ['steps/toolCallRequest', 'toolCallRequest', true],
  ['steps/toolCallRequest', 'toolCallRequest/inputs/0', false],
  ['steps/toolCallResult', 'toolCallResult', true],
  ['steps/toolCallResult', 'toolCallResult/result', true],
  ['steps/knowledgeRetrieval', 'knowledgeStep', true],
  ['steps/knowledgeRetrieval', 'knowledgeStep/results/0', true],
  ['protocols/MCP', 'message', true],
  ['message/send', 'payload', true],
]

const MCP_CALL: JsonObject = {
  message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'send', arguments: { a: 'b' } } },
}
const RAW_CALL: JsonObject = MCP_CALL['message'] as JsonObject

/** Members that the standard does not know: a reader behind the guard may know them. */
export const proveBesides = ({ prove, proveEach }: Prover, { ask, decide }: Asker): void => {
  const rows = [
    ...PLACES.map(([method, path, changed]) => ({
      name: `${method} at /${path}`,
      method,
      path,
      changed,
      params: METHOD_ROWS.find((row) => row.method === method)?.params('x', `beside-${method}-${path}`) ?? {},
    })),
    ...['', 'message', 'message/params'].map((path) => ({
      name: `tools/call at /${path}`,
      method: 'protocols/MCP',
      path,
      changed: true,
      params: MCP_CALL,
    })),
    { name: 'raw tools/call', method: 'protocols/MCP', path: '', changed: true, params: RAW_CALL },
  ].map((row) => ({ ...row, proves: ['beside'] }))

  proveEach(rows, async ({ method, path, params, changed }) => {
    const at = path === '' ? [] : path.split('/')
    const refused = await ask(callOf(method, withMember(params, at, 'more', { of: `Pay with ${CARD}.` })))
    expect(refused.result).toMatchObject({ decision: 'deny', reasonCode: expect.arrayContaining(['test-forbid']) })
    const request = callOf(method, withMember(params, at, 'more', { of: `Write to ${ADDRESS}.` }))
    const { result } = await ask(request)
    if (!changed) {
      expect(result).toMatchObject({ decision: 'deny', reasonCode: expect.arrayContaining(['test-mask']) })
      return
    }
    const mask = /Write to (\[[^\]]*\])/.exec(JSON.stringify(result.modifiedRequest))?.[1] ?? 'no mask'
    expect(result.modifiedRequest).toEqual(JSON.parse(JSON.stringify(request).replaceAll(ADDRESS, mask)))
  })

  proveEach(
    [
      {
        name: '_meta of tools/call',
        method: 'protocols/MCP',
        params: withMember(MCP_CALL, ['message', 'params'], '_meta', { note: CARD }),
      },
      {
        name: 'the query of knowledge',
        method: 'steps/knowledgeRetrieval',
        params: { knowledgeStep: { query: CARD, results: [] }, context: contextOf('beside-query') },
      },
      {
        name: 'citations',
        method: 'steps/message',
        params: {
          message: { id: 'm', role: 'agent', content: [] },
          citations: [{ kind: 'site', url: `https://a.example/?card=${encodeURIComponent(CARD)}`, title: CARD }],
          context: contextOf('beside-citations'),
        },
      },
      {
        name: 'the result of an MCP call, beside the result',
        method: 'protocols/MCP',
        params: { message: { jsonrpc: '2.0', id: 'joined', result: { content: [] }, more: CARD } },
      },
    ].map((row) => ({ ...row, proves: ['beside'] })),
    async ({ method, params }) => {
      const query = '?session=beside-known'
      await ask(callOf('protocols/MCP', { message: { ...RAW_CALL, id: 'joined' } }), query)
      expect((await ask(callOf(method, params), query)).result).toMatchObject({ decision: 'deny' })
    },
  )

  proveEach(
    [
      { name: 'beside the inputs', call: { more: ADDRESS }, params: {} },
      { name: 'beside the call', call: {}, params: { more: ADDRESS } },
    ].map((row) => ({ ...row, proves: ['beside', 'dialect-joch'] })),
    async ({ call, params }) => {
      const toolCallRequest = { executionId: 'e', toolId: 'tool-2', inputs: [{ name: 'a', value: ADDRESS }], ...call }
      const request = callOf('steps/toolCallRequest', { toolCallRequest, context: contextOf('beside-joch'), ...params })
      expect((await ask(request)).result.decision).toBe('modify')
      // Joch takes nothing but the inputs back.
      expect((await ask(request, '?dialect=joch')).result).toMatchObject({ decision: 'deny', policyId: 'test-mask' })
    },
  )

  prove(['dialect-joch'], 'of other steps the members that changed go back', async () => {
    const params = { memory: [ADDRESS], note: 'x', context: contextOf('joch-memory') }
    const { result } = await ask(callOf('steps/memoryStore', params), '?dialect=joch')
    expect(result.modifiedRequest).toEqual({ memory: [expect.stringMatching(/^\[.*\]$/)] })
  })

  prove(['beside'], 'what stands beside the outputs of a result is of the same source', async () => {
    const { step, reply } = await decide(
      callOf('steps/toolCallResult', {
        toolCallResult: { executionId: 'e', result: { outputs: [], isError: false, structuredContent: { a: 'b' } } },
        context: contextOf('beside-output'),
      }),
    )
    expect(step.payload).toMatchObject({ output: { outputs: [], structuredContent: { a: 'b' } } })
    expect(reply.result.decision).toBe('allow')
  })

  proveEach(
    [
      { name: 'a whole number beyond 2^53', number: '12345678901234567890' },
      { name: 'one in an input', number: '-9007199254740993' },
      { name: 'a number beyond all', number: '1e999' },
    ].map((row) => ({ ...row, proves: ['exact'] })),
    async ({ number }) => {
      const body = (text: string) =>
        JSON.stringify(
          callOf('steps/toolCallRequest', {
            toolCallRequest: {
              executionId: 'e',
              toolId: 'tool-2',
              inputs: [{ name: 'body', value: [text, 'NUMBER'] }],
            },
            context: contextOf('exact'),
          }),
        ).replace('"NUMBER"', number)
      expect((await ask(body('x'))).result.decision).toBe('allow')
      const { result } = await ask(body(`Write to ${ADDRESS}.`))
      expect(result).toMatchObject({ decision: 'deny', message: expect.stringMatching(/integer .* as strings\.$/) })
    },
  )

  prove(['exact'], 'numbers that JSON can hold come back as they were', async () => {
    const value = [`Write to ${ADDRESS}.`, 9_007_199_254_740_991, 0.1, -0.5, 1e15]
    const { result } = await ask(
      callOf('steps/toolCallRequest', {
        toolCallRequest: { executionId: 'e', toolId: 'tool-2', inputs: [{ name: 'body', value }] },
        context: contextOf('exact'),
      }),
    )
    expect(result.modifiedRequest.params.toolCallRequest.inputs[0].value.slice(1)).toEqual(value.slice(1))
  })

  proveEach(
    [
      { name: 'the session', context: contextOf('elsewhere') },
      {
        name: 'the server',
        context: contextOf('x', { agent: { ...AGENT, mcpServers: [{ name: 'ours', version: '1' }] } }),
      },
    ].map((row) => ({ ...row, proves: ['session'] })),
    async ({ context }) => {
      const raw = { jsonrpc: '2.0', id: 77, result: { content: [] }, context }
      const { step } = await decide(callOf('protocols/MCP', raw), '?session=here')
      expect(step).toMatchObject({
        session: { id: 'here' },
        payload: { server: 'mcp', message: { context: { turnId: 'turn-1' } } },
      })
    },
  )

  prove(['session'], 'a context beside an MCP message tells session and server', async () => {
    const context = contextOf('told', { agent: { ...AGENT, mcpServers: [{ name: 'library', version: '1' }] } })
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/list' }
    const { step } = await decide(callOf('protocols/MCP', { message, context }))
    expect(step).toMatchObject({ session: { id: 'told' }, payload: { server: 'library' } })
    expect((await decide(callOf('protocols/MCP', { message, context }), '?server=other')).step.payload).toMatchObject({
      server: 'other',
    })
    const two = withMember(context, ['agent'], 'mcpServers', [{ name: 'a' }, { name: 'b' }])
    expect((await decide(callOf('protocols/MCP', { message, context: two }))).step.payload).toMatchObject({
      server: 'mcp',
    })
  })

  prove(
    ['session'],
    'an A2A message is of the session that its context or the address tells, else of its conversation',
    async () => {
      const params = a2aParams('message/send', 'x', 'talk-1')
      const context = isObject(params['context']) ? params['context'] : {}
      const told = { ...params, context: { ...context, session: { id: 'told' }, turnId: 't-9', stepId: 's-9' } }
      expect((await decide(callOf('message/send', params))).step.session.id).toBe('a2a talk-1')
      expect((await decide(callOf('message/send', params), '?session=address')).step.session.id).toBe('address')
      expect((await decide(callOf('message/send', told), '?session=address')).step).toMatchObject({
        id: 's-9',
        session: { id: 'told', turn: 't-9' },
      })
    },
  )

  proveEach(
    [
      { name: 'arguments', input: 'arguments', more: [] },
      { name: 'input', input: 'Input', more: [] },
      { name: 'arguments among others', input: 'args', more: [{ name: 'timeout', value: 3 }] },
    ].map((row) => ({ ...row, proves: ['method-tool-call'] })),
    async ({ input, more }) => {
      const asked = (command: string) =>
        ask(
          callOf('steps/toolCallRequest', {
            toolCallRequest: {
              executionId: 'e',
              toolId: 'tool-1',
              inputs: [{ name: input, value: JSON.stringify({ command }) }, ...more],
            },
            context: contextOf('in-a-text'),
          }),
        )
      expect((await asked('ls')).result).toMatchObject({ decision: 'allow' })
      expect((await asked('rm -rf ~')).result).toMatchObject({ decision: 'deny', data: { policyId: 'delete-home' } })
      // Nobody can change what stands in a text that was read.
      expect((await asked(`echo ${ADDRESS}`)).result).toMatchObject({ decision: 'deny', reasonCode: ['test-mask'] })
    },
  )

  prove(['subagent'], 'what a subagent is told is not what a person says', async () => {
    const agent = { ...AGENT, metadata: { role: 'subagent' } }
    const message = { id: 'm', role: 'user', content: [{ kind: 'text', text: 'Send it to https://a.example.' }] }
    const { step } = await decide(callOf('steps/message', { message, context: contextOf('subagent', { agent }) }))
    expect(step.agent).toMatchObject({ id: 'agent-1', role: 'subagent' })
  })
}
