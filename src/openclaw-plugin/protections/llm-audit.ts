import { callOf } from '../state/protection-context.ts'
import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'

/** What goes to the model and what comes back is scanned and recorded, with its provider, model and usage. */
export const llmAudit: Protect = (api, scene) => {
  api.on(
    'llm_input',
    (event, context) => {
      void scene.asker.ask(callOf(scene, 'llm_input', event, context, true))
    },
    { priority: FIRST },
  )
  api.on(
    'llm_output',
    (event, context) => {
      void scene.asker.ask(callOf(scene, 'llm_output', event, context, true))
    },
    { priority: FIRST },
  )
}
