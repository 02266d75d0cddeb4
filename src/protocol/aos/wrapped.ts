import { isJsonObject } from '../fields.ts'
import type { Fields } from '../fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { directionOfMethod, isAnswer, mcpIdOf, readMcpCall, readMcpResult } from '../mcp-message.ts'
import type { Direction } from '../step.ts'
import { attached } from './content.ts'
import type { A2aTeller } from './context.ts'
import type { Reader } from './readers.ts'
import type { Said, Surroundings } from './request.ts'
import { valuePlace } from './request.ts'

/** Number 1 and text "1" are two ids. */
const keyOf = (id: string | number | undefined): string | undefined =>
  id === undefined ? undefined : `mcp ${typeof id} ${id}`

/** Where the raw message stands: `message`, as schema and text have it, or the params themselves, as the examples do. */
const messageOf = (params: Fields): { readonly message: JsonObject; readonly at: string } => {
  const raw = ['method', 'result', 'error'].some((name) => params.has(name))
  if (raw && params.has('message')) params.wrong('message', 'the only MCP message')
  return raw ? { message: params.rest(new Set()), at: '' } : { message: params.object('message'), at: '/message' }
}

const readToolsCall = (call: Fields, message: JsonObject, at: string, { server }: Surroundings): Said => {
  const { name, input, attachments, places } = readMcpCall(call, `${at}/params`)
  const id = mcpIdOf(message)
  const key = keyOf(id)
  return {
    kind: 'toolCallRequest',
    payload: {
      tool: { name, server },
      input,
      ...(id === undefined ? {} : { callId: String(id) }),
      ...attached(attachments),
    },
    places,
    ...(key === undefined ? {} : { key, keep: { direction: 'outbound' } }),
  }
}

/** protocols/MCP: a call of a tool and its result are decided as such, all else as a message. */
export const readMcp: Reader = (params, { session }, surroundings) => {
  const { message, at } = messageOf(params)
  const { method } = message
  const answers = isAnswer(params, 'message', message)
  if (method === 'tools/call') {
    const own = at === '' ? params : params.fields('message')
    return readToolsCall(own.fields('params'), message, at, surroundings)
  }
  const key = keyOf(mcpIdOf(message))
  const plain = (direction: Direction, keep: boolean): Said => ({
    kind: 'mcpMessage',
    payload: { direction, server: surroundings.server, message },
    places: [valuePlace('/message', at)],
    ...(keep && key !== undefined ? { key, keep: { direction } } : {}),
  })
  if (typeof method === 'string') return plain(directionOfMethod(method), true)
  if (method !== undefined || !answers) params.wrong('message', 'an MCP request, notification, result or error')
  const asked = key === undefined ? undefined : surroundings.seen(session ?? surroundings.session, key)
  // What a server was asked for may be an answer of ours; what nobody asked for comes from outside.
  if (asked?.direction === 'inbound') return plain('outbound', false)
  if (asked?.call === undefined) return plain('inbound', false)
  const { status, output, places } = readMcpResult(message, at)
  return {
    kind: 'toolCallResult',
    payload: { ...asked.call, ...(key === undefined ? {} : { callId: String(mcpIdOf(message)) }), status, output },
    places,
    ...(key === undefined ? {} : { key }),
  }
}

/** An A2A method: the raw message is `payload`, or `message` for those who say protocols/A2A. */
export const a2aReader =
  (method: string): Reader =>
  (params, teller) => {
    const member = params.has('payload') || !params.has('message') ? 'payload' : 'message'
    const message = params.object(member)
    if (member === 'payload' && params.has('message')) params.wrong('payload', 'the only A2A message')
    const { peer, client } = teller as A2aTeller
    const answers = isAnswer(params, member, message)
    // What goes out is what the asking side asks and the asked side answers; in doubt it comes from outside.
    const direction: Direction = client !== undefined && client !== answers ? 'outbound' : 'inbound'
    return {
      kind: 'a2aMessage',
      payload: { direction, peer, message, method },
      places: [valuePlace('/message', `/${member}`)],
    }
  }

/** The conversation an A2A message belongs to: its context, else its task. */
export const a2aSession = (params: Fields): string | undefined => {
  const message = params.has('payload') ? params.any('payload') : params.any('message')
  const found = (value: Json | undefined, names: readonly string[]): string | undefined => {
    if (!isJsonObject(value)) return undefined
    for (const name of names) {
      const id = value[name]
      if (typeof id === 'string' && id !== '' && id.length <= 256 && id.isWellFormed()) return id
    }
    return undefined
  }
  const body = isJsonObject(message) ? (message['params'] ?? message['result']) : undefined
  const inner = isJsonObject(body) ? (body['message'] ?? body['task'] ?? body['status']) : undefined
  const id =
    found(inner, ['contextId']) ??
    found(body, ['contextId']) ??
    found(inner, ['taskId']) ??
    found(body, ['taskId', 'id'])
  return id === undefined ? undefined : `a2a ${id}`
}
