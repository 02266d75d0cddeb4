import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'
import { decideInbound } from './inbound.ts'

/** Every message is scanned as it comes in, beside the turn; over HTTP, where none is received, when its run begins. */
export const audit: Protect = (api, scene) => {
  api.on(
    'message_received',
    (event, context) => {
      void decideInbound(scene, { hook: 'message_received', event, context, text: event.content })
    },
    { priority: FIRST },
  )
  if (scene.settings.modes['inbound-block'] !== 'off') return
  api.on(
    'before_agent_reply',
    (event, context) => {
      void decideInbound(scene, { hook: 'before_agent_reply', event, context, text: event.cleanedBody })
      return undefined
    },
    { priority: FIRST },
  )
}
