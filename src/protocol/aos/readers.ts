import type { Fields } from '../fields.ts'
import { isJsonObject } from '../fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray } from '../json.ts'
import type { ToolDefinition, ToolRef } from '../step.ts'
import { attached, readContent } from './content.ts'
import type { Surroundings, Said, Teller } from './request.ts'
import { told, UNKNOWN_TOOL, valuePlace } from './request.ts'

/** Reads one method's params. Faults are remembered by the fields. */
export type Reader = (params: Fields, teller: Teller, surroundings: Surroundings) => Said

/** steps/agentTrigger. */
export const readTrigger: Reader = (params) => {
  const trigger = params.fields('trigger')
  const content = trigger.array('content')
  const metadata = trigger.any('metadata')
  return {
    kind: 'agentTrigger',
    payload: { source: trigger.fields('event').id('type'), detail: { content, ...told('metadata', metadata) } },
    places: [
      valuePlace('/detail/content', '/trigger/content'),
      ...(metadata === null ? [] : [valuePlace('/detail/metadata', '/trigger/metadata')]),
    ],
  }
}

/** steps/message: whose words they are is the message's role. */
export const readMessage: Reader = (params) => {
  const message = params.fields('message')
  const { text, attachments, places } = readContent(message, '/message')
  const role = message.string('role')
  const more = attached(attachments)
  switch (role) {
    case 'user':
      return { kind: 'userMessage', payload: { text, ...more }, places }
    case 'system':
      return { kind: 'systemMessage', payload: { text, source: 'system', ...more }, places }
    case 'agent':
      return { kind: 'agentMessage', payload: { text, final: true, ...more }, places }
    default:
      message.wrong('role', 'user, agent or system')
      return { kind: 'agentMessage', payload: { text, final: true, ...more }, places }
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

const NAME_ONLY = new Set(['name'])

/** steps/toolCallRequest. Two inputs of one name are refused: nobody knows which the tool would take. */
export const readToolCall: Reader = (params) => {
  onlyOnce(params, 'toolCallRequest', ['executionId', 'toolId', 'inputs'])
  const request = params.has('toolId') ? params : params.fields('toolCallRequest')
  const callId = request.id('executionId')
  const input = new Map<string, Json>()
  for (const [index, one] of request.objects('inputs').entries()) {
    const name = one.string('name')
    if (input.has(name)) request.wrong(`inputs/${index}/name`, 'a name that no input before it has')
    if (one.rest(NAME_ONLY)['value'] === undefined) one.wrong('value', 'there')
    input.set(name, one.any('value'))
  }
  return {
    kind: 'toolCallRequest',
    payload: { tool: toolOf(params, request.id('toolId')), input: Object.fromEntries(input), callId },
    places: [{ as: 'inputs', payload: '/input', params: `${request === params ? '' : '/toolCallRequest'}/inputs` }],
    key: keyOf(callId),
    keep: { direction: 'outbound' },
  }
}

/** steps/toolCallResult, nested as in the schema or flat as in the text (SPEC 4.6.1). */
export const readToolResult: Reader = (params, { session = '' }, { seen }) => {
  onlyOnce(params, 'toolCallResult', ['executionId', 'result'])
  const nested = !params.has('result')
  const outer = nested ? params.fields('toolCallResult') : params
  const result = outer.fields('result')
  const callId = outer.id('executionId')
  const { tool, input } = seen(session, keyOf(callId))?.call ?? { tool: UNKNOWN_TOOL, input: {} }
  return {
    kind: 'toolCallResult',
    payload: {
      tool,
      input,
      callId,
      status: result.boolean('isError', false) ? 'failed' : 'succeeded',
      output: result.array('outputs'),
    },
    places: [valuePlace('/output', `${nested ? '/toolCallResult' : ''}/result/outputs`)],
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

/** steps/memoryContextRetrieval. */
export const readMemoryRetrieval: Reader = (params) => ({
  kind: 'memoryRetrieval',
  payload: { store: STORE, content: readMemory(params) },
  places: MEMORY_PLACES,
})

/** steps/memoryStore. */
export const readMemoryStore: Reader = (params) => ({
  kind: 'memoryStore',
  payload: { store: STORE, content: readMemory(params) },
  places: MEMORY_PLACES,
})

/** steps/knowledgeRetrieval. */
export const readKnowledge: Reader = (params) => {
  const step = params.fields('knowledgeStep')
  const results = step.array('results')
  for (const result of step.objects('results')) result.string('content')
  const query = { ...told('query', step.any('query')), ...told('keywords', step.any('keywords')) }
  return {
    kind: 'knowledgeRetrieval',
    payload: {
      source: 'knowledge',
      ...(Object.keys(query).length === 0 ? {} : { query }),
      content: results,
    },
    places: [valuePlace('/content', '/knowledgeStep/results')],
  }
}
