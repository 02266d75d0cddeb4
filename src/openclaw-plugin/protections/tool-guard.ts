import type { ToolCallResult } from '../host-hooks.ts'
import { callOf, sessionOf } from '../scene.ts'
import type { Protect } from './protection.ts'
import { GRACE_MS, SECOND } from './protection.ts'

/** Every tool call is decided on before it runs. A handler that fails or is late blocks, by the host's own rule. */
export const toolGuard: Protect = (api, scene) => {
  api.on(
    'before_tool_call',
    async (event, context) => {
      const session = sessionOf({}, context)
      const call = context.toolCallId ?? event.toolCallId
      const restored = call === undefined ? undefined : scene.withheld.restore({ session, call }, event.params)
      const whole = restored === undefined ? event : { ...event, params: restored }
      const answer = await scene.asker.ask(callOf(scene, 'before_tool_call', whole, context))
      const reply = answer.reply as ToolCallResult | null
      if (reply !== null)
        return reply.params === undefined && restored !== undefined ? { ...reply, params: restored } : reply
      return restored === undefined ? undefined : { params: restored }
    },
    { priority: SECOND, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
