import { expect } from 'vitest'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { callOf, contextOf } from './requests.ts'

const MEMORY = { memory: ['one'], context: contextOf('envelope') }
const call = (id: string | number = 'call-1') => callOf('steps/memoryStore', MEMORY, id)

/** The kinds of blocks in the standard's own pages that are not JSON, and other bodies that are none. */
const NOT_JSON: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['a comma behind the last member', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
  [
    'a comma behind the last element',
    '{"jsonrpc":"2.0","id":1,"method":"steps/memoryStore","params":{"memory":["a",]}}',
  ],
  ['no comma between members', '{"jsonrpc":"2.0" "id":1,"method":"ping"}'],
  ['no comma between elements', '{"memory":["a" "b"]}'],
  ['two commas', '{"jsonrpc":"2.0",,"id":1}'],
  ['a line break in a text', '{"jsonrpc":"2.0","id":1,"method":"pi\nng"}'],
  ['a tab in a text', '{"jsonrpc":"2.0","id":1,"method":"pi\tng"}'],
  ['a line comment', '{"jsonrpc":"2.0", // version\n"id":1,"method":"ping"}'],
  ['a block comment', '{"jsonrpc":"2.0", /* version */ "id":1,"method":"ping"}'],
  ['dots for what was left out', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{...}}'],
  ['single quotes', "{'jsonrpc':'2.0','id':1,'method':'ping'}"],
  ['names without quotes', '{jsonrpc:"2.0",id:1,method:"ping"}'],
  ['no brace at the end', '{"jsonrpc":"2.0","id":1,"method":"ping"'],
  ['a brace too many', '{"jsonrpc":"2.0","id":1,"method":"ping"}}'],
  ['a text without its end', '{"jsonrpc":"2.0","id":1,"method":"ping'],
  ['a placeholder', '{"jsonrpc":"2.0","id":<id>,"method":"ping"}'],
  ['two values', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}'],
  ['a member that stands twice', '{"jsonrpc":"2.0","id":1,"method":"steps/message","method":"ping"}'],
  ['a number that is none', '{"jsonrpc":"2.0","id":01,"method":"ping"}'],
]

const NO_CALL: readonly (readonly [name: string, body: unknown])[] = [
  ['a text', '"ping"'],
  ['null', 'null'],
  ['an empty batch', []],
  ['no version', { id: 1, method: 'ping' }],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 7 }],
  ['an id of null', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['an id with a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
  ['an id beyond 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }],
]

const error = (code: number, message: string, id: unknown = null) => ({ jsonrpc: '2.0', id, error: { code, message } })

/** Transport, envelope and errors. */
export const proveEnvelope = ({ prove, proveEach }: Prover, { ask, guard }: Asker): void => {
  prove(['http'], 'HTTP POST of JSON is answered with JSON', async () => {
    const { url, token } = guard().running
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/hooks/aos`, { method: 'POST', headers, body: JSON.stringify(call()) })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', result: { decision: 'allow' } })
    expect((await fetch(`${url}/v1/hooks/aos`, { headers })).status).toBe(405)
  })

  proveEach(
    ['text', '', 0, -1, 7, Number.MAX_SAFE_INTEGER].map((id) => ({
      name: `the id ${JSON.stringify(id)} comes back`,
      proves: ['id'],
      id,
    })),
    async ({ id }) => {
      expect(await ask(call(id))).toMatchObject({ jsonrpc: '2.0', id })
    },
  )

  prove(['batch', 'notification'], 'a batch is answered call by call, and its notification not at all', async () => {
    const { id: _, ...notification } = call()
    const reply = await ask([call(1), notification, callOf('nonsense', {}, 2), call(3)])
    expect(reply).toMatchObject([
      { id: 1, result: { decision: 'allow' } },
      { id: 2, error: { code: -32_601 } },
      { id: 3, result: {} },
    ])
    expect(reply).toHaveLength(3)
    expect(await ask([notification])).toBeUndefined()
  })

  proveEach(
    NOT_JSON.map(([name, body]) => ({ name: `no JSON: ${name}`, proves: ['error-parse'], body })),
    async ({ body }) => {
      expect(await ask(body)).toMatchObject(error(-32_700, 'Invalid JSON payload'))
    },
  )

  proveEach(
    NO_CALL.map(([name, body]) => ({ name: `no call: ${name}`, proves: ['error-request'], body })),
    async ({ body }) => {
      const reply = await ask(body)
      expect(reply.error).toMatchObject({ code: -32_600, message: 'Request payload validation error' })
    },
  )

  proveEach(
    ['steps/nothing', 'steps/knowledge', 'messages/mcp', '__proto__', 'constructor', 'STEPS/MESSAGE'].map((method) => ({
      name: `there is no method ${method}`,
      proves: ['error-method'],
      method,
    })),
    async ({ method }) => {
      expect(await ask(callOf(method, MEMORY))).toMatchObject(error(-32_601, 'Method not found', 'call-1'))
    },
  )

  const word = 'hunter2-in-the-wrong-place'
  proveEach(
    [
      { name: 'no params', method: 'steps/memoryStore', params: undefined },
      { name: 'params that are a list', method: 'steps/memoryStore', params: [word] },
      { name: 'no context', method: 'steps/memoryStore', params: { memory: [word] } },
      {
        name: 'no turn',
        method: 'steps/memoryStore',
        params: { memory: [word], context: { ...contextOf('e'), turnId: null } },
      },
      { name: 'a step that is no text', method: 'steps/message', params: { message: word, context: contextOf('e') } },
      { name: 'no payload', method: 'message/send', params: { context: { from: word } } },
      { name: 'no message', method: 'protocols/MCP', params: { reasoning: word } },
    ].map((row) => ({ ...row, proves: ['error-params', 'error-silent'] })),
    async ({ method, params }) => {
      const reply = await ask(callOf(method, params))
      expect(reply).toMatchObject(error(-32_602, 'Invalid parameters', 'call-1'))
      expect(reply.error.data).toEqual({
        code: 'SP_RPC_PARAMS',
        reason: expect.stringMatching(/^The params of .*\/params/),
      })
      expect(JSON.stringify(reply)).not.toContain(word)
    },
  )

  prove(['ping'], 'ping is answered without a decision', async () => {
    const before = guard().decided.length
    expect(await ask(callOf('ping', { timestamp: '2026-01-24T15:30:45.123Z', timeout: 100 }, 9))).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result: {
        status: 'connected',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    })
    expect(guard().decided).toHaveLength(before)
  })
}
