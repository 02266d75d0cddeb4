import { fieldsOf } from '../fields.ts'
import type { Fields } from '../fields.ts'
import { isObject } from '../json.ts'
import type { JsonObject } from '../json.ts'
import type { ToolRef } from '../step.ts'
import { mapped } from './subject.ts'
import type { AcsMethod } from './subject.ts'

const MCP = /^(?:protocols\/MCP\/|wrapped:mcp[^/]*\/)(?<method>.+)$/i

/** The MCP message in a payload: the message itself, in a member `message`, or only its params (extend_mcp.md shows all). */
const mcpMessage = (method: string, fields: Fields): { readonly at: string; readonly message: JsonObject } => {
  const whole = fields.rest(new Set())
  const inner = whole['message']
  if (isObject(inner)) return { at: '/message', message: inner }
  if (Object.hasOwn(whole, 'method') || Object.hasOwn(whole, 'result') || Object.hasOwn(whole, 'error'))
    return { at: '', message: whole }
  return { at: '', message: { method, ...whole } }
}

const methodOf = (method: string): AcsMethod => ({
  answers: 'any',
  read: (fields, { earlierCall }) => {
    const { at, message: given } = mcpMessage(method, fields)
    const answered = Object.hasOwn(given, 'result') || Object.hasOwn(given, 'error')
    const id = `mcp:${JSON.stringify(given['id'] ?? null)}`
    const params = isObject(given['params']) ? given['params'] : given
    if (method === 'tools/call' && !answered) {
      const call = fieldsOf(params, `${at}/params`)
      const input = isObject(params['arguments']) ? params['arguments'] : {}
      const tool: ToolRef = { name: call.name('name'), server: 'mcp' }
      if (call.fault() !== undefined) fields.wrong('params/name', 'the name of a tool')
      const to = params === given ? `${at}/arguments` : `${at}/params/arguments`
      return mapped('toolCallRequest', { tool, input, callId: id }, '/input', to)
    }
    if (method === 'tools/call') {
      const call = earlierCall(id) ?? { tool: { name: 'unknown', server: 'mcp' }, input: {} }
      const output = given['result'] ?? given['error'] ?? null
      const status = Object.hasOwn(given, 'error') ? 'failed' : 'succeeded'
      const to = `${at}/${Object.hasOwn(given, 'result') ? 'result' : 'error'}`
      return mapped('toolCallResult', { ...call, callId: id, status, output }, '/output', to)
    }
    const direction = answered || method.startsWith('notifications/') ? 'inbound' : 'outbound'
    return mapped('mcpMessage', { direction, server: 'mcp', message: given }, '/message', at)
  },
})

/** A wrapped method of MCP, under either prefix (specification.md, section 3); `undefined` for other names. */
export const wrappedMcp = (name: string): AcsMethod | undefined => {
  const method = MCP.exec(name)?.groups?.['method']
  return method === undefined ? undefined : methodOf(method)
}
