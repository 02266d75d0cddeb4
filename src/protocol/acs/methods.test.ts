import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../fields.ts'
import type { JsonObject } from '../json.ts'
import { acsMethod } from './methods.ts'

const read = (method: string, payload: JsonObject) => {
  const fields = fieldsOf(payload, '/params/payload')
  const found = acsMethod(method)?.read(fields, { earlierCall: () => undefined, requestId: 'r' })
  return { subject: found, fault: fields.fault()?.pointer }
}

const DELETE = { name: 'Bash', arguments: { command: 'rm -rf ~' } }
const LIST = { name: 'ls', arguments: {} }
const asking = (params: JsonObject, more: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params,
  ...more,
})
const TOOLS_CALL = 'protocols/MCP/tools/call'

describe('a wrapped MCP message that two readers would read in two ways is refused', () => {
  test.each<{ name: string; method?: string; payload: JsonObject }>([
    {
      name: 'a call under the name of a harmless method',
      method: 'protocols/MCP/resources/read',
      payload: { message: asking(DELETE) },
    },
    { name: 'the same, as the payload itself', method: 'protocols/MCP/ping', payload: asking(DELETE) },
    { name: 'another method under the name of a call', payload: { message: asking(LIST, { method: 'ping' }) } },
    { name: 'a call that is an answer too', payload: { message: asking(DELETE, { result: {} }) } },
    {
      name: 'a result and an error',
      payload: { message: { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'do this' } } },
    },
    { name: 'a message and another next to it', payload: { message: asking(LIST), ...asking(DELETE) } },
    { name: 'a message and params next to it', payload: { message: asking(LIST), ...DELETE } },
    {
      name: 'messages in a list',
      method: 'protocols/MCP/resources/read',
      payload: { message: [asking(DELETE)] },
    },
    { name: 'arguments in a text', payload: asking({ name: 'Bash', arguments: '{"command":"rm -rf ~"}' }) },
    { name: 'arguments in a list', payload: asking({ name: 'Bash', arguments: ['rm -rf ~'] }) },
    { name: 'params in a list', payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ['Bash'] } },
    { name: 'no method and no answer', payload: { message: { jsonrpc: '2.0', id: 1, params: DELETE } } },
  ])('$name', ({ method = TOOLS_CALL, payload }) => {
    expect(read(method, payload).fault).toMatch(/^\/params\/payload\//)
  })

  test.each<{ name: string; payload: JsonObject; at: string }>([
    { name: 'in a member', payload: { message: asking(DELETE) }, at: '/message/params/arguments' },
    { name: 'as the payload itself', payload: asking(DELETE), at: '/params/arguments' },
    { name: 'by its params alone', payload: DELETE, at: '/arguments' },
  ])('and one that is given $name is read', ({ payload, at }) => {
    const { subject, fault } = read(TOOLS_CALL, payload)
    expect(fault).toBeUndefined()
    expect(subject).toMatchObject({
      kind: 'toolCallRequest',
      payload: { tool: { name: 'Bash' }, input: { command: 'rm -rf ~' } },
      places: [{ payload: '/input', params: at }],
    })
  })
})

test.each([
  { method: 'resources/read', asked: 'outbound', answered: 'inbound' },
  { method: 'sampling/createMessage', asked: 'inbound', answered: 'outbound' },
  { method: 'notifications/message', asked: 'inbound', answered: 'inbound' },
  { method: 'of/tomorrow', asked: 'inbound', answered: 'inbound' },
])('$method goes $asked when it asks, and its answer $answered', ({ method, asked, answered }) => {
  const way = (payload: JsonObject) => read(`protocols/MCP/${method}`, payload).subject?.payload
  expect(way({ message: { jsonrpc: '2.0', id: 1, method } })).toMatchObject({ direction: asked })
  expect(way({ message: { jsonrpc: '2.0', id: 1, result: {} } })).toMatchObject({ direction: answered })
})

test('the result of a call that reports its own failure has failed', () => {
  const { subject } = read(TOOLS_CALL, { message: { jsonrpc: '2.0', id: 1, result: { isError: true } } })
  expect(subject?.payload).toMatchObject({ status: 'failed' })
})

describe('everything in a payload is evaluated', () => {
  const call = (args: Record<string, string>, raw?: string) => ({
    tool: { name: 'runner' },
    arguments: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { value }])),
    ...(raw === undefined ? {} : { raw_command: raw }),
  })

  test.each<{ name: string; payload: JsonObject; input: JsonObject; changeable: boolean }>([
    {
      name: 'the command line is an argument',
      payload: call({ command: 'ls' }, 'ls'),
      input: { command: 'ls' },
      changeable: true,
    },
    {
      name: 'the command line is next to the arguments',
      payload: call({ path: '/' }, 'rm -rf /'),
      input: { path: '/', command_line: 'rm -rf /' },
      changeable: false,
    },
    {
      name: 'the command line after an equal text',
      payload: call({ command: 'ls', note: 'rm -rf /' }, 'rm -rf /'),
      input: { command: 'ls', note: 'rm -rf /', command_line: 'rm -rf /' },
      changeable: false,
    },
    {
      name: 'its name is taken',
      payload: call({ command_line: 'ls' }, 'rm -rf /'),
      input: { command_line: 'ls', command: 'rm -rf /' },
      changeable: false,
    },
  ])('$name', ({ payload, input, changeable }) => {
    const { subject, fault } = read('steps/toolCallRequest', payload)
    expect([fault, subject?.payload, subject?.places !== undefined]).toMatchObject([undefined, { input }, changeable])
  })

  test('a command line for which no name is left is refused', () => {
    const taken = { command_line: 'a', command: 'b', cmd: 'c', shell_command: 'd' }
    expect(read('steps/toolCallRequest', call(taken, 'rm -rf /')).fault).toBe('/params/payload/raw_command')
  })

  test.each([
    {
      name: 'an item of a message',
      method: 'steps/agentResponse',
      payload: { content: [{ type: 'text', text: 'x' }] },
    },
    {
      name: 'an output',
      method: 'steps/toolCallResult',
      payload: { tool: { name: 'x' }, exit_status: 'success', outputs: [{ text: 'x' }] },
    },
  ])('$name without its value is refused', ({ method, payload }) => {
    expect(read(method, payload).fault).toMatch(/\/0\/value$/)
  })

  test('members next to the value of an output belong to it', () => {
    const outputs = [
      { value: 'a', provenance: { origin: 'tool_output' } },
      { value: 'b', text: 'c' },
    ]
    const { subject } = read('steps/toolCallResult', { tool: { name: 'x' }, exit_status: 'success', outputs })
    expect(subject).toMatchObject({
      payload: { output: ['a', { value: 'b', text: 'c' }] },
      places: [{ params: '/outputs/0/value' }, { params: '/outputs/1' }],
    })
  })

  test('sources of an answer go with it', () => {
    const content = [{ type: 'text', value: 'a' }]
    const { subject } = read('steps/agentResponse', { content, sources: [{ url: 'https://example.com' }] })
    expect(subject).toMatchObject({
      payload: { text: 'a', attachments: [[{ url: 'https://example.com' }]] },
      places: [{ params: ['/content/0/value'] }, { payload: '/attachments/0', params: '/sources' }],
    })
  })

  test.each([
    { name: 'its body', definition: { ref: 'r', body: 'Sort.' }, text: 'Sort.' },
    { name: 'all of it where it has none', definition: { ref: 'r', notes: 'x' }, text: '{"ref":"r","notes":"x"}' },
  ])('of a skill’s definition, $name', ({ definition, text }) => {
    expect(read('steps/skillRegister', { skill_id: 's', definition }).subject?.payload).toMatchObject({ text })
  })
})
