import { isObject } from '../../protocol/json.ts'
import { MODEL_TOOLS } from '../settings/plugin-contracts.ts'
import type { HostMessage, HostMessagePart, WriteContext } from '../host/host-hooks.ts'
import { callOf } from '../state/protection-context.ts'
import type { ProtectionContext } from '../state/protection-context.ts'
import type { RegisterProtection } from './protection.ts'
import { FIRST } from './protection.ts'

/** What stands in the history in place of the arguments of a refused call. */
const WITHHELD = { withheld: '[Sallyport: The content of this call was refused and not stored.]' } as const

/** A message with its parts as they may be kept; `undefined` where nothing changes. */
const rewritten = (
  message: HostMessage,
  keep: (part: HostMessagePart) => HostMessagePart | undefined,
): { readonly message: HostMessage } | undefined => {
  const { content } = message
  if (message.role !== 'assistant' || typeof content !== 'object') return undefined
  const kept = content.map(keep)
  if (kept.every((part, index) => part === content[index])) return undefined
  return { message: { ...message, content: kept.filter((part) => part !== undefined) } }
}

/** The arguments of a call as they may be kept. */
const keptArguments = (
  shared: ProtectionContext,
  { name, arguments: params, id }: HostMessagePart,
  context: WriteContext,
): unknown => {
  if (typeof name !== 'string' || !isObject(params) || MODEL_TOOLS.some((one) => one === name)) return params
  const event = { toolName: name, params, ...(typeof id === 'string' ? { toolCallId: id } : {}) }
  const { verdict, reply } = shared.decisions.assess(callOf(shared, 'before_tool_call', event, context))
  if (verdict.decision === 'deny') return WITHHELD
  return verdict.decision === 'modify' && isObject(reply?.['params']) ? reply['params'] : params
}

/**
 * The history keeps a call before the call is decided on, and the hook cannot wait. What is refused or masked by its
 * arguments alone is refused or masked there, too, so that no later turn reads them; the call itself is made, or refused,
 * by what the host has in hand.
 */
export const storedCalls: RegisterProtection = (api, shared) => {
  api.on(
    'before_message_write',
    ({ message }, context) =>
      rewritten(message, (part) => {
        if (part.type !== 'toolCall') return part
        const kept = keptArguments(shared, part, context)
        return kept === part['arguments'] ? part : { ...part, arguments: kept }
      }),
    { priority: FIRST - 1 },
  )
}

/** What a model thinks passes no seam on its way out. In the history a thought that holds what may not be said is taken out. */
export const storedThoughts: RegisterProtection = (api, shared) => {
  api.on(
    'before_message_write',
    ({ message }) =>
      rewritten(message, (part) => {
        const { type, thinking } = part
        if (type !== 'thinking' || typeof thinking !== 'string' || thinking.trim() === '') return part
        // Whoever signed a thought takes it back whole or not at all.
        return shared.decisions.screen(thinking).verdict.decision === 'allow' ? part : undefined
      }),
    { priority: FIRST - 1 },
  )
}
