import { Buffer } from 'node:buffer'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { isJsonObject } from '../../protocol/fields.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { metaOf } from '../mcp/message.ts'
import type { Message } from '../mcp/message.ts'

/** From 2026-07-28 on, headers repeat parts of the body, for those who route by them. */
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const PARAM = /^mcp-param-/
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'tools/call': ['name'],
  'prompts/get': ['name'],
  'resources/read': ['uri'],
}
const OTHER_NAMES = ['name', 'uri', 'taskId']
/** Values of the arguments that a header is compared with. */
const MOST_VALUES = 10_000

const ENCODED = /^=\?base64\?([A-Za-z\d+/]*={0,2})\?=$/
const PLAIN = /^[!-~](?:[ -~\t]*[!-~])?$/

const decoded = (value: string): string | undefined => {
  const [, base64] = ENCODED.exec(value) ?? []
  if (base64 === undefined) return value
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined
}

const encoded = (value: string): string =>
  PLAIN.test(value) && !ENCODED.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** Texts, numbers and truth values in objects within the arguments, each with what is at its place after an edit. */
const valuesIn = function* (before: Json, after: Json | undefined): Generator<readonly [Json, Json | undefined]> {
  if (!isJsonObject(before)) yield [before, after]
  else
    for (const [name, value] of Object.entries(before))
      yield* valuesIn(value, isJsonObject(after) && Object.hasOwn(after, name) ? after[name] : undefined)
}

type Primitive = string | number | boolean

const isPrimitive = (value: Json | undefined): value is Primitive => /^(?:string|number|boolean)$/.test(typeof value)

const isSame = (header: string, value: Primitive): boolean =>
  typeof value === 'number' ? header.trim() !== '' && Number(header) === value : header === String(value)

/** What a header that repeats an argument says after an edit; empty if it repeats none. */
const repeats = (header: string, before: Json, after: Json): ReadonlySet<Json | undefined> => {
  const found = new Set<Json | undefined>()
  let left = MOST_VALUES
  for (const [value, now] of valuesIn(before, after)) {
    if (left-- === 0) break
    if (isPrimitive(value) && isSame(header, value)) found.add(now)
  }
  return found
}

const argumentsOf = (params: Json | undefined): JsonObject => {
  const input = isJsonObject(params) ? params['arguments'] : undefined
  return isJsonObject(input) ? input : {}
}

const paramHeaders = (headers: IncomingHttpHeaders): readonly (readonly [string, string])[] =>
  Object.entries(headers).flatMap(([name, value]) => (PARAM.test(name) ? [[name, String(value)] as const] : []))

/**
 * The header that differs from the body, if one does: the server, or whoever routes to it, could act on what nobody
 * decided. Missing ones are for the server to refuse.
 */
export const mismatchOf = (headers: IncomingHttpHeaders, message: Message): string | undefined => {
  const { 'mcp-method': method, 'mcp-name': name, 'mcp-protocol-version': version } = headers
  const params = message.kind === 'answer' ? {} : message.params
  const own = message.kind === 'answer' ? undefined : message.method
  if (method !== undefined && method !== own) return 'Mcp-Method'
  if (name !== undefined) {
    const told = typeof name === 'string' ? decoded(name) : undefined
    const sources = NAMES[own ?? ''] ?? OTHER_NAMES
    if (told === undefined || !sources.some((source) => params[source] === told)) return 'Mcp-Name'
  }
  const meant = metaOf(params)[VERSION]
  if (version !== undefined && meant !== undefined && meant !== version) return 'MCP-Protocol-Version'
  const input = argumentsOf(params)
  const wrong = paramHeaders(headers).find(([, value]) => {
    const told = decoded(value)
    return told === undefined || repeats(told, input, input).size === 0
  })
  return wrong?.[0]
}

/** Headers that repeat arguments as they are after an edit; `undefined` if one can no longer be told. */
export const mirrored = (
  headers: IncomingHttpHeaders,
  before: JsonObject,
  after: JsonObject,
): OutgoingHttpHeaders | undefined => {
  const changed: OutgoingHttpHeaders = {}
  for (const [name, value] of paramHeaders(headers)) {
    const [now, ...others] = repeats(decoded(value) ?? '', argumentsOf(before['params']), argumentsOf(after['params']))
    if (others.length > 0 || !isPrimitive(now)) return undefined
    changed[name] = encoded(String(now))
  }
  return changed
}
