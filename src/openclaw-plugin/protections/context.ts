import { isFlagged } from '../scan/scan-result.ts'
import { sessionOf } from '../state/protection-context.ts'
import { warningFor } from '../model/threat-instructions.ts'
import { decideInbound } from './inbound.ts'
import type { Protect } from './protection.ts'
import { FIRST, GRACE_MS } from './protection.ts'

/** The agent is warned of the message it is about to answer: from the cache, or by a scan of its own. */
export const context: Protect = (api, scene) => {
  api.on(
    'before_prompt_build',
    async (event, hookContext) => {
      const session = sessionOf({}, hookContext)
      const text = event.currentUserMessage ?? event.prompt
      if (text.trim() === '') return undefined
      if (scene.cache.getIfMatch(session, text) === undefined)
        await decideInbound(scene, {
          hook: 'before_agent_run',
          seam: 'before_prompt_build',
          event: { prompt: text, messages: [] },
          context: hookContext,
          text,
        })
      const result = scene.cache.getIfMatch(session, text)
      if (result === undefined) return undefined
      if (isFlagged(result)) return { prependContext: warningFor(result, 'message') }
      scene.cache.clear(session, text)
      return undefined
    },
    { priority: FIRST, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
