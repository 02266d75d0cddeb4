import { callOf } from '../state/protection-context.ts'
import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'

/** Every tool result is scanned after the call, beside the turn, and recorded. */
export const toolAudit: Protect = (api, scene) => {
  api.on(
    'after_tool_call',
    (event, context) => {
      void scene.asker.ask(callOf(scene, 'after_tool_call', event, context, true))
    },
    { priority: FIRST },
  )
}
