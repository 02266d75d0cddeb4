import { createBoundedMap } from '../../bounded/bounded-map.ts'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import { isJsonObject } from '../../protocol/fields.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { KnownCall } from './questions.ts'

/** What a session has learned from messages that went on. */
export interface Known {
  /** Definition of a tool as the client last saw it, as far as it is part of a step. */
  definitionOf(tool: string): JsonObject | undefined
  outputSchemaOf(tool: string): Json | undefined
  /** An element of a `tools/list` result as the client last saw the tool of its name. */
  shownTool(element: Json): JsonObject | undefined
  /** Learns from a `tools/list` result. */
  listed(result: Json | undefined): void
  /** The call that began the task which params or a result name. */
  callOfTask(body: Json | undefined): KnownCall | undefined
  /** Learns from the result of a call: a task that it began. */
  began(call: KnownCall, result: Json | undefined): void
  /** A call that a person agreed to asks for more: its next round is the same call. */
  continued(call: KnownCall, result: Json | undefined): void
  /** Whether this is a further round of such a call. */
  isAgreed(params: JsonObject): boolean
  seenMeta(member: string): boolean
  learnMeta(members: readonly string[]): void
}

const MOST_TOOLS = 2_000
const MOST_TASKS = 1_000
const MOST_META = 200

const roundKey = (name: Json, input: Json, state: Json): string => canonicalJson([name, input, state])

const taskIdIn = (body: Json | undefined): string | undefined => {
  if (!isJsonObject(body)) return undefined
  // 2025-11-25 has it in `task`.
  const id = body['taskId'] ?? (isJsonObject(body['task']) ? body['task']['taskId'] : undefined)
  return typeof id === 'string' ? id : undefined
}

/** Creates the empty knowledge of one session. */
export const createKnown = (): Known => {
  const tools = createBoundedMap<string, JsonObject>({ most: MOST_TOOLS })
  const tasks = createBoundedMap<string, KnownCall>({ most: MOST_TASKS })
  const rounds = createBoundedMap<string, true>({ most: MOST_TASKS })
  const meta = createBoundedMap<string, true>({ most: MOST_META })
  return Object.freeze<Known>({
    definitionOf(name) {
      const tool = tools.get(name)
      if (tool === undefined) return undefined
      const { description, inputSchema, annotations } = tool
      return {
        ...(typeof description === 'string' ? { description } : {}),
        ...(isJsonObject(inputSchema) ? { inputSchema } : {}),
        ...(isJsonObject(annotations) ? { annotations } : {}),
      }
    },
    shownTool(element) {
      const name = isJsonObject(element) ? element['name'] : undefined
      return typeof name === 'string' ? tools.get(name) : undefined
    },
    outputSchemaOf: (name) => tools.get(name)?.['outputSchema'],
    listed(result) {
      const list = isJsonObject(result) ? result['tools'] : undefined
      for (const tool of isArray(list) ? list : [])
        if (isJsonObject(tool) && typeof tool['name'] === 'string') tools.set(tool['name'], tool)
    },
    callOfTask(body) {
      const id = taskIdIn(body)
      return id === undefined ? undefined : tasks.get(id)
    },
    began(call, result) {
      const id = taskIdIn(result)
      if (id !== undefined) tasks.set(id, call)
    },
    continued({ tool, input }, result) {
      if (isJsonObject(result) && result['resultType'] === 'input_required')
        rounds.set(roundKey(tool['name'] ?? null, input, result['requestState'] ?? null), true)
    },
    isAgreed(params) {
      const { name = null, arguments: input = {}, requestState = null } = params
      const key = roundKey(name, input, requestState)
      return Object.hasOwn(params, 'inputResponses') && rounds.delete(key)
    },
    seenMeta: (member) => meta.has(member),
    learnMeta(members) {
      for (const one of members) if (one.length <= LONGEST_META) meta.set(one, true)
    },
  })
}

const LONGEST_META = 10_000
