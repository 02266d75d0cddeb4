import { scanOfAnswer } from '../scan/answer-scan.ts'
import { isFlagged } from '../scan/scan-result.ts'
import { callOf, sessionOf } from '../state/protection-context.ts'
import { warningFor } from '../model/threat-instructions.ts'
import type { Protect } from './protection.ts'
import { FIRST, GRACE_MS } from './protection.ts'

/** The whole conversation is scanned before the model sees it: an attack spread over messages shows only there. */
export const promptScan: Protect = (api, scene) => {
  api.on(
    'before_prompt_build',
    async (event, context) => {
      const began = Date.now()
      const answer = await scene.asker.ask(callOf(scene, 'before_prompt_build', event, context, true))
      const result = scanOfAnswer({
        content: 'prompt',
        answer,
        profileName: scene.settings.scanner.profileName,
        sessionId: sessionOf({}, context),
        latencyMs: Date.now() - began,
      })
      return isFlagged(result) ? { prependSystemContext: warningFor(result, 'conversation') } : undefined
    },
    { priority: FIRST, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
