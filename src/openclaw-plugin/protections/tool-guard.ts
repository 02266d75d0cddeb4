import { setTimeout as sleep } from 'node:timers/promises'
import { createTellAsked } from '../asked-person.ts'
import { createGatewayCall } from '../gateway-call.ts'
import type { ApprovalResolution, ToolCallResult } from '../host-hooks.ts'
import { MODEL_TOOLS } from '../contracts.ts'
import { callOf } from '../scene.ts'
import type { Protect } from './protection.ts'
import { GRACE_MS, SECOND } from './protection.ts'

/**
 * Every tool call is decided on before it runs. A handler that fails or is late blocks, by the host's own rule. The model's
 * own scans are only recorded: they do nothing, and what they are asked about is what a rule may refuse.
 */
export const toolGuard: Protect = (api, scene) => {
  const tellAsked = createTellAsked({ api, gateway: createGatewayCall(), log: scene.log, pause: sleep })
  api.on(
    'before_tool_call',
    async (event, context) => {
      const own = MODEL_TOOLS.some((name) => name === event.toolName)
      const answer = await scene.asker.ask(callOf(scene, 'before_tool_call', event, context, own))
      const reply = (answer.reply ?? undefined) as ToolCallResult | undefined
      if (reply?.requireApproval === undefined) return reply
      const onResolution = async (decision: ApprovalResolution): Promise<void> => {
        await scene.asker.ask(callOf(scene, 'approval_resolved', { decision }, context, true))
      }
      // Not waited for: the host makes its question only after this answer.
      void tellAsked(reply.requireApproval, context)
      return { ...reply, requireApproval: { ...reply.requireApproval, onResolution } }
    },
    { priority: SECOND, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
