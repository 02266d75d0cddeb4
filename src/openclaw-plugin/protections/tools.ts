import { sessionOf } from '../state/protection-context.ts'
import { gateTool } from '../scan/tool-gating.ts'
import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'

/** After a message that was flagged, tools that could do its harm are blocked; nothing is scanned here. */
export const tools: Protect = (api, scene) => {
  api.on(
    'before_tool_call',
    (event, context) => {
      const { cache, settings } = scene
      const gated = gateTool(cache.get(sessionOf({}, context)), event.toolName, settings.highRiskTools)
      return gated.blocked ? { block: true, blockReason: gated.reason } : undefined
    },
    { priority: FIRST },
  )
}
