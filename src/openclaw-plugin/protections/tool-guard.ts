import type { ApprovalResolution, ToolCallResult } from '../host-hooks.ts'
import { callOf } from '../scene.ts'
import type { Protect } from './protection.ts'
import { GRACE_MS, SECOND } from './protection.ts'

/** Every tool call is decided on before it runs. A handler that fails or is late blocks, by the host's own rule. */
export const toolGuard: Protect = (api, scene) => {
  api.on(
    'before_tool_call',
    async (event, context) => {
      const answer = await scene.asker.ask(callOf(scene, 'before_tool_call', event, context))
      const reply = (answer.reply ?? undefined) as ToolCallResult | undefined
      if (reply?.requireApproval === undefined) return reply
      const onResolution = async (decision: ApprovalResolution): Promise<void> => {
        await scene.asker.ask(callOf(scene, 'approval_resolved', { decision }, context, true))
      }
      return { ...reply, requireApproval: { ...reply.requireApproval, onResolution } }
    },
    { priority: SECOND, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
