import { textsOf } from '../../hosts/openclaw/decoders.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { Json } from '../../protocol/json.ts'
import { isObject } from '../../protocol/json.ts'
import type { BeforeAgentRunEvent } from '../host-hooks.ts'
import { callOf, sessionOf } from '../scene.ts'
import type { HookContext, Scene } from '../scene.ts'

/**
 * What the host puts beside a prompt (2026.9.6, `runtime-context-prompt`): quoted messages, what others said in a group,
 * names, events of the system.
 */
const BESIDE = 'openclaw.runtime-context'
/** Where the host's system prompt begins to hold what came with the request: system messages and files over HTTP. */
const REQUEST = '\n## Conversation Context\n'

const besideOf = (message: unknown): readonly string[] => {
  if (!isObject(message) || message['customType'] !== BESIDE) return []
  const { content, details } = message
  const fragments = isObject(details) && Array.isArray(details['fragments']) ? details['fragments'] : []
  const texts = fragments.flatMap((one: unknown) =>
    isObject(one) && typeof one['text'] === 'string' ? [one['text']] : [],
  )
  // The fragments are the texts as they were said; in the content they stand as JSON.
  return texts.length > 0 ? texts : textsOf((content ?? null) as Json)
}

/** What a run shows the model beside the prompt, and the hooks of the message itself are never shown. */
export const runContextOf = ({ messages, systemPrompt = '' }: BeforeAgentRunEvent): string => {
  const from = systemPrompt.indexOf(REQUEST)
  const request = from === -1 ? '' : systemPrompt.slice(from + REQUEST.length)
  return [...messages.flatMap(besideOf), request].filter((text) => text.trim() !== '').join('\n\n')
}

/**
 * Decides on what stands beside the prompt; `undefined` where nothing does. Others may have said it, so that it is
 * decided on beside the session: in the session itself it would count as the person's word.
 */
export const decideRunContext = async (
  scene: Scene,
  event: BeforeAgentRunEvent,
  context: HookContext,
): Promise<HookAnswer | undefined> => {
  const text = runContextOf(event)
  if (text === '') return undefined
  const session = `${sessionOf({}, context)}#sallyport-context`
  return scene.asker.ask(
    callOf(scene, 'before_agent_run', { prompt: text, messages: [] }, { ...context, sessionKey: session }),
  )
}
