import { expect } from 'vitest'
import type { Step } from '../../../src/protocol/step.ts'
import { readAosResult } from '../../../src/protocol/aos/read-result.ts'
import type { ReadResultOptions } from '../../../src/protocol/aos/read-result.ts'
import { aosRequestOf } from '../../../src/protocol/aos/write-request.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { a2aParams, callOf, contextOf } from './requests.ts'

const MAIL = 'write to ada.lovelace@analytical-engines.co.uk soon'
const send = (text: string) =>
  callOf('steps/toolCallRequest', {
    toolCallRequest: {
      executionId: 'e-1',
      toolId: 'tool-2',
      inputs: [
        { name: 'to', value: 'me' },
        { name: 'body', value: text },
      ],
    },
    context: contextOf('dialects'),
  })

/** How answers are put to callers of other dialects. */
export const proveDialects = ({ prove, proveEach }: Prover, { ask }: Asker): void => {
  proveEach(
    ['task/get', 'tasks/get'].map((method) => ({
      name: `${method} goes back as task/get`,
      proves: ['dialect-published'],
      method,
    })),
    async ({ method }) => {
      const { result } = await ask(callOf(method, a2aParams('tasks/get', MAIL, 'published')), '?dialect=published')
      expect(result).toMatchObject({
        decision: 'modify',
        message: expect.any(String),
        modifiedRequest: { method: 'task/get' },
      })
    },
  )

  prove(['dialect-joch'], 'a refusal as Joch has it', async () => {
    const { result } = await ask(send('4111 1111 1111 1111'), '?dialect=joch')
    expect(result).toMatchObject({
      decision: 'deny',
      reason: 'Card numbers do not travel. Leave the number out.',
      policyId: 'test-forbid',
      policyVersion: expect.any(String),
    })
    expect(result).not.toHaveProperty('message')
  })

  prove(['dialect-joch'], 'a change as Joch has it: the inputs alone', async () => {
    const { result } = await ask(send(MAIL), '?dialect=joch')
    expect(result.modifiedRequest).toEqual({
      inputs: [
        { name: 'to', value: 'me' },
        { name: 'body', value: expect.stringMatching(/^write to \[.*\] soon$/) },
      ],
    })
  })

  prove(['dialect-unknown'], 'an unknown dialect is refused with the names of the known', async () => {
    const { error } = await ask(send('x'), '?dialect=klingon')
    expect(error).toMatchObject({
      code: -32_602,
      data: { code: 'SP_RPC_DIALECT', reason: expect.stringMatching(/default, published, joch/) },
    })
  })
}

const CALL: Step = {
  kind: 'toolCallRequest',
  payload: {
    tool: { name: 'send_email', server: 'mailer' },
    input: { to: 'me', body: { text: 'hello' } },
    callId: 'e-1',
  },
  id: 'step-1',
  host: 'claude-code',
  event: 'PreToolUse',
  at: 1_800_000_000_000,
  session: { id: 'session-1', turn: 'turn-1', cwd: '/home/dev/app' },
  agent: { id: 'main', role: 'main' },
}

const asked = () => {
  const request = aosRequestOf(CALL, 'call-1')
  if (request === undefined) throw new Error('AOS has a method for this.')
  return request
}

/** The request with other inputs. */
const modified = (inputs: Json, more: JsonObject = {}): JsonObject => {
  const { params, ...rest } = asked()
  const call = params['toolCallRequest'] as JsonObject
  return { ...rest, params: { ...params, toolCallRequest: { ...call, inputs } }, ...more }
}

const INPUTS = [
  { name: 'to', value: 'you' },
  { name: 'body', value: { text: 'hello' } },
]

/** The other side: asking a guardian that is not ours. */
export const proveClient = ({ prove, proveEach }: Prover): void => {
  prove(['client-request'], 'a request holds all that the schema requires', () => {
    expect(asked()).toEqual({
      jsonrpc: '2.0',
      id: 'call-1',
      method: 'steps/toolCallRequest',
      params: {
        toolCallRequest: {
          executionId: 'e-1',
          toolId: 'mailer/send_email',
          inputs: [
            { name: 'to', value: 'me' },
            { name: 'body', value: { text: 'hello' } },
          ],
        },
        context: {
          agent: {
            id: 'main',
            name: 'main',
            url: 'urn:sallyport:claude-code',
            instructions: '',
            version: 'unknown',
            provider: { name: 'claude-code', url: 'urn:sallyport:claude-code' },
            tools: [
              {
                id: 'mailer/send_email',
                name: 'send_email',
                type: 'mcp',
                arguments: null,
                outputs: null,
                mcpServer: 'mailer',
              },
            ],
            metadata: { cwd: '/home/dev/app' },
          },
          session: { id: 'session-1' },
          turnId: 'turn-1',
          stepId: 'step-1',
          timestamp: '2027-01-15T08:00:00.000Z',
        },
      },
    })
  })

  proveEach(
    [
      { name: 'no result', result: null },
      { name: 'a result that is a text', result: 'allow' },
      { name: 'no decision', result: { message: 'Fine.' } },
      { name: 'a decision that is none', result: { decision: 'ALLOW', message: 'Fine.' } },
      { name: 'an ask', result: { decision: 'ask', message: 'Well.' } },
      { name: 'modify without content', result: { decision: 'modify', message: 'x' } },
      { name: 'modify with null', result: { decision: 'modify', message: 'x', modifiedRequest: null } },
      {
        name: 'modify that changes nothing',
        result: { decision: 'modify', message: 'x', modifiedRequest: asked() as unknown as Json },
      },
      {
        name: 'modify with another id',
        result: { decision: 'modify', message: 'x', modifiedRequest: modified(INPUTS, { id: 'other' }) },
      },
      {
        name: 'modify with another method',
        result: { decision: 'modify', message: 'x', modifiedRequest: modified(INPUTS, { method: 'steps/message' }) },
      },
      {
        name: 'modify without params',
        result: { decision: 'modify', message: 'x', modifiedRequest: modified(INPUTS, { params: null }) },
      },
      {
        name: 'modify with two inputs of one name',
        result: { decision: 'modify', message: 'x', modifiedRequest: modified([...INPUTS, ...INPUTS]) },
      },
      {
        name: 'modify with inputs that are none',
        result: { decision: 'modify', message: 'x', modifiedRequest: modified('all') },
      },
      {
        name: 'a part of a request where a whole one is asked for',
        result: { decision: 'modify', message: 'x', modifiedRequest: { inputs: INPUTS } },
      },
      {
        name: 'allow with a modified request',
        result: { decision: 'allow', message: 'x', modifiedRequest: modified(INPUTS) },
      },
      {
        name: 'another tool',
        result: {
          decision: 'modify',
          message: 'x',
          modifiedRequest: {
            ...modified(INPUTS),
            params: { toolCallRequest: { executionId: 'e-1', toolId: 'shell', inputs: INPUTS } },
          },
        },
      },
    ].map((row) => ({ ...row, proves: ['client-refuses'] })),
    ({ result }) => {
      expect(readAosResult(result as Json, asked(), CALL)).toEqual({
        outcome: 'invalid',
        why: expect.stringMatching(/^(?:its|it) /),
      })
    },
  )

  const edits = [{ kind: 'ranges', pointer: '/input/to', ranges: [expect.objectContaining({ text: 'you' })] }]
  proveEach(
    [
      {
        name: 'an allow',
        result: { decision: 'allow', message: 'Fine.' },
        answer: { decision: 'allow', reason: 'Fine.', edits: [] },
      },
      {
        name: 'a deny with a reason for a message',
        result: { decision: 'deny', reason: 'No.', policyId: 'p', policyVersion: 'v3' },
        answer: { decision: 'deny', reason: 'No.', policies: [{ id: 'p', version: 'v3' }] },
      },
      {
        name: 'a deny with neither',
        result: { decision: 'deny' },
        answer: { decision: 'deny', reason: '' },
      },
      {
        name: 'a change',
        result: {
          decision: 'modify',
          message: 'Changed.',
          reasonCode: ['a', 7],
          data: { policyId: 'p' },
          modifiedRequest: modified(INPUTS),
        },
        answer: { decision: 'modify', edits, reasonCodes: ['a'], policies: [{ id: 'p', version: '' }] },
      },
      {
        name: 'a change of the inputs alone, where that is agreed',
        result: { decision: 'modify', modifiedRequest: { inputs: INPUTS } },
        answer: { decision: 'modify', edits },
        partial: true,
      },
      {
        name: 'a change into what stands there, asked again',
        result: { decision: 'modify', modifiedRequest: asked() },
        answer: { decision: 'allow', edits: [] },
        again: true,
      },
      {
        name: 'an input that is new',
        result: { decision: 'modify', modifiedRequest: modified([{ name: 'cc', value: 'x' }]) },
        answer: { edits: [{ kind: 'replace', pointer: '/input', value: { cc: 'x' } }] },
      },
    ].map((row) => ({ ...row, proves: ['client-accepts'] })),
    ({ result, answer, ...options }) => {
      expect(readAosResult(result as Json, asked(), CALL, options as ReadResultOptions)).toMatchObject({
        outcome: 'verdict',
        ...answer,
      })
    },
  )
}
