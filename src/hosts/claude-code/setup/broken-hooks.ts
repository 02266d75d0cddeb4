import { isObject } from '../../../protocol/json.ts'

/**
 * Why the host cannot load a handler. It then drops ALL hooks of that event in that file, the valid ones too, without a
 * message (measured on 2.1.329).
 */
const handlerFault = (handler: unknown): string | undefined => {
  if (!isObject(handler)) return 'a hook is not an object'
  const { type, url, command, timeout, onFailure } = handler
  if (typeof type !== 'string' || !HANDLER_TYPES.has(type)) return `unknown hook type ${JSON.stringify(type)}`
  if (timeout !== undefined && typeof timeout !== 'number') return 'its timeout is not a number'
  if (type === 'http' && (typeof url !== 'string' || !URL.canParse(url))) return 'its url is not a URL'
  if (type === 'command' && typeof command !== 'string') return 'its command is not a string'
  if (onFailure !== undefined && onFailure !== 'block' && onFailure !== 'allow')
    return `unknown onFailure ${JSON.stringify(onFailure)}`
  return undefined
}

const HANDLER_TYPES: ReadonlySet<string> = new Set(['command', 'http', 'mcp_tool', 'prompt', 'agent'])

/** What is wrong with the hooks of one event in one file; `undefined` when the host loads them. */
export const eventFault = (groups: unknown): string | undefined => {
  if (!Array.isArray(groups)) return 'it is not an array'
  for (const group of groups as readonly unknown[]) {
    if (!isObject(group)) return 'a matcher group is not an object'
    if (group['matcher'] !== undefined && typeof group['matcher'] !== 'string') return 'a matcher is not a string'
    if (!Array.isArray(group['hooks'])) return 'a matcher group has no list of hooks'
    const fault = (group['hooks'] as readonly unknown[])
      .map((one) => handlerFault(one))
      .find((one) => one !== undefined)
    if (fault !== undefined) return fault
  }
  return undefined
}
