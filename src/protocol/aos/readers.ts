import type { Fields } from '../fields.ts'
import { isJsonObject } from '../fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray } from '../json.ts'
import { escapeToken } from '../json-pointer.ts'
import type { Place } from '../places.ts'
import type { ToolDefinition, ToolRef } from '../step.ts'
import { attached, readContent } from './content.ts'
import type { Surroundings, Said, Teller } from './request.ts'
import { moreOf, told, UNKNOWN_TOOL, valuePlace } from './request.ts'

/** Reads one method's params. Faults are remembered by the fields. */
export type Reader = (params: Fields, teller: Teller, surroundings: Surroundings) => Said

/** steps/agentTrigger. */
export const readTrigger: Reader = (params) => {
  const trigger = params.fields('trigger')
  const event = trigger.fields('event')
  const content = trigger.array('content')
  const { more, morePlaces } = moreOf(trigger, ['type', 'event', 'content'], '/detail', '/trigger')
  const ofEvent = moreOf(event, ['type', 'id'], '/detail/event', '/trigger/event')
  return {
    kind: 'agentTrigger',
    payload: {
      source: event.id('type'),
      detail: { content, ...more, ...(ofEvent.morePlaces.length === 0 ? {} : { event: ofEvent.more }) },
    },
    places: [valuePlace('/detail/content', '/trigger/content'), ...morePlaces, ...ofEvent.morePlaces],
    members: ['trigger'],
  }
}

/** steps/message: whose words they are is the message's role. */
export const readMessage: Reader = (params) => {
  const message = params.fields('message')
  const { text, attachments, places } = readContent(message, '/message')
  const role = message.string('role')
  const more = attached(attachments)
  const rest = { places, members: ['message'] }
  switch (role) {
    case 'user':
      return { kind: 'userMessage', payload: { text, ...more }, ...rest }
    case 'system':
      return { kind: 'systemMessage', payload: { text, source: 'system', ...more }, ...rest }
    case 'agent':
      return { kind: 'agentMessage', payload: { text, final: true, ...more }, ...rest }
    default:
      message.wrong('role', 'user, agent or system')
      return { kind: 'agentMessage', payload: { text, final: true, ...more }, ...rest }
  }
}

/** The MCP server behind a tool, where its definition tells one. */
const serverOf = (definition: JsonObject): string | undefined => {
  const { mcpServer, server, metadata } = definition
  const from =
    mcpServer ?? server ?? (isJsonObject(metadata) ? (metadata['mcpServer'] ?? metadata['server']) : undefined)
  const name = isJsonObject(from) ? from['name'] : from
  return typeof name === 'string' && name !== '' && name.length <= 256 ? name : undefined
}

/** AOS's list of arguments as the schema of an input. */
const schemaOf = (list: Json | undefined): JsonObject | undefined => {
  if (!isArray(list)) return undefined
  const named = list.flatMap((one) => {
    const name = isJsonObject(one) ? one['name'] : undefined
    return isJsonObject(one) && typeof name === 'string' ? [{ ...one, name }] : []
  })
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, type, description }: JsonObject & { readonly name: string }) => [
        name,
        { ...told('type', type ?? null), ...told('description', description ?? null) },
      ]),
    ),
    required: named.filter((one: JsonObject) => one['required'] === true).map(({ name }) => name),
  }
}

/** The tool behind an id, as the agent's own list has it; a tool that is not listed goes by its id. */
const toolOf = (params: Fields, toolId: string): ToolRef => {
  const tools = params.fields('context').fields('agent').any('tools')
  const listed = Array.isArray(tools) ? (tools as readonly Json[]).filter(isJsonObject) : []
  const [found, other] = listed.filter(({ id }) => id === toolId)
  if (other !== undefined) params.wrong('context/agent/tools', 'a list with one tool of each id')
  const { name, description, annotations } = found ?? {}
  if (found === undefined || typeof name !== 'string' || name === '' || name.length > 256) return { name: toolId }
  const inputSchema = schemaOf(found['arguments'])
  const definition: ToolDefinition = {
    ...(typeof description === 'string' ? { description } : {}),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(isJsonObject(annotations) ? { annotations } : {}),
  }
  const server = serverOf(found)
  return { name, ...(server === undefined ? {} : { server }), definition }
}

const keyOf = (executionId: string): string => `execution ${executionId}`

/** Members in two places may be read either way, and the reader that matters may not be the guard. */
const onlyOnce = (params: Fields, nested: string, flat: readonly string[]): void => {
  if (params.has(nested) && flat.some((name) => params.has(name)))
    params.wrong(nested, `the only place of ${flat.join(', ')}`)
}

/** What stands beside the members that are known, as attachments with their places; nothing where none are told. */
const attachedFrom = (
  from: Fields,
  known: readonly string[] | undefined,
  at: string,
): { readonly attachments: readonly Json[]; readonly places: readonly Place[] } => {
  const more = Object.entries(known === undefined ? {} : moreOf(from, known, '', '').more)
  return {
    attachments: more.map(([, value]) => value),
    places: more.map(([name], index) => valuePlace(`/attachments/${index}`, `${at}/${escapeToken(name)}`)),
  }
}

const NAME_ONLY = new Set(['name'])
const OF_AN_INPUT = ['name', 'id', 'value']
const OF_A_CALL = ['executionId', 'toolId', 'inputs']

/** steps/toolCallRequest. Two inputs of one name are refused: nobody knows which the tool would take. */
export const readToolCall: Reader = (params) => {
  onlyOnce(params, 'toolCallRequest', OF_A_CALL)
  const flat = params.has('toolId')
  const at = flat ? '' : '/toolCallRequest'
  const request = flat ? params : params.fields('toolCallRequest')
  const callId = request.id('executionId')
  const input = new Map<string, Json>()
  for (const [index, one] of request.objects('inputs').entries()) {
    const name = one.string('name')
    if (input.has(name)) request.wrong(`inputs/${index}/name`, 'a name that no input before it has')
    if (one.rest(NAME_ONLY)['value'] === undefined) one.wrong('value', 'there')
    input.set(name, one.any('value'))
  }
  // A flat call stands in the params, where what nobody knows is attached anyhow.
  const { attachments, places } = attachedFrom(request, flat ? undefined : OF_A_CALL, at)
  // Beside an input's value nothing can be changed: the inputs are given back as a whole.
  const inInputs = request.objects('inputs').flatMap((one) => Object.values(moreOf(one, OF_AN_INPUT, '', '').more))
  return {
    kind: 'toolCallRequest',
    payload: {
      tool: toolOf(params, request.id('toolId')),
      input: Object.fromEntries(input),
      callId,
      ...attached([...attachments, ...inInputs]),
    },
    places: [...places, { as: 'inputs', payload: '/input', params: `${at}/inputs` }],
    members: flat ? OF_A_CALL : ['toolCallRequest'],
    key: keyOf(callId),
    keep: { direction: 'outbound' },
  }
}

const OF_A_RESULT = ['executionId', 'result']

/** A list of a step, or the list and all that stands beside it where something does: one content, whoever reads which. */
const withMore = (
  from: Fields,
  list: string,
  known: readonly string[],
  payload: string,
  params: string,
): { readonly value: Json; readonly places: readonly Place[] } => {
  const { more, morePlaces } = moreOf(from, [list, ...known], payload, params)
  const listed = from.array(list)
  return morePlaces.length === 0
    ? { value: listed, places: [valuePlace(payload, `${params}/${list}`)] }
    : {
        value: { [list]: listed, ...more },
        places: [valuePlace(`${payload}/${list}`, `${params}/${list}`), ...morePlaces],
      }
}

/** steps/toolCallResult, nested as in the schema or flat as in the text (SPEC 4.6.1). */
export const readToolResult: Reader = (params, { session = '' }, { seen }) => {
  onlyOnce(params, 'toolCallResult', ['executionId', 'result'])
  const nested = !params.has('result')
  const outer = nested ? params.fields('toolCallResult') : params
  const at = `${nested ? '/toolCallResult' : ''}/result`
  const result = outer.fields('result')
  const callId = outer.id('executionId')
  const { tool, input } = seen(session, keyOf(callId))?.call ?? { tool: UNKNOWN_TOOL, input: {} }
  const { value, places } = withMore(result, 'outputs', ['isError'], '/output', at)
  const besides = attachedFrom(outer, nested ? OF_A_RESULT : undefined, '/toolCallResult')
  return {
    kind: 'toolCallResult',
    payload: {
      tool,
      input,
      callId,
      status: result.boolean('isError', false) ? 'failed' : 'succeeded',
      output: value,
      ...attached(besides.attachments),
    },
    places: [...places, ...besides.places],
    members: nested ? ['toolCallResult'] : OF_A_RESULT,
    key: keyOf(callId),
  }
}

const readMemory = (params: Fields): readonly Json[] => {
  const memory = params.array('memory')
  for (const [index, entry] of memory.entries())
    if (typeof entry !== 'string') params.wrong(`memory/${index}`, 'a string; JSON is written as one')
  return memory
}

/** The one store there is: AOS names none. */
const STORE = 'memory'
const MEMORY_PLACES = [valuePlace('/content', '/memory')]

/** steps/memoryContextRetrieval. What was asked of the memory, `query`, is an addition of ours. */
export const readMemoryRetrieval: Reader = (params) => ({
  kind: 'memoryRetrieval',
  payload: { store: STORE, content: readMemory(params), ...told('query', params.any('query')) },
  places: [...MEMORY_PLACES, valuePlace('/query', '/query')],
  members: ['memory', 'query'],
})

/** steps/memoryStore. */
export const readMemoryStore: Reader = (params) => ({
  kind: 'memoryStore',
  payload: { store: STORE, content: readMemory(params) },
  places: MEMORY_PLACES,
  members: ['memory'],
})

/** steps/knowledgeRetrieval. */
export const readKnowledge: Reader = (params) => {
  const step = params.fields('knowledgeStep')
  for (const result of step.objects('results')) result.string('content')
  const query = { ...told('query', step.any('query')), ...told('keywords', step.any('keywords')) }
  const { value, places } = withMore(step, 'results', ['query', 'keywords'], '/content', '/knowledgeStep')
  return {
    kind: 'knowledgeRetrieval',
    payload: {
      source: 'knowledge',
      ...(Object.keys(query).length === 0 ? {} : { query }),
      content: value,
    },
    places: [...places, ...Object.keys(query).map((name) => valuePlace(`/query/${name}`, `/knowledgeStep/${name}`))],
    members: ['knowledgeStep'],
  }
}
