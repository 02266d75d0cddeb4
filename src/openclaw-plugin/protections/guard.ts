import { reminderFor } from '../model/reminder.ts'
import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'

/** The system prompt says what the guard does by itself, and what the agent has to do. Nothing is scanned here. */
export const guard: Protect = (api, scene) => {
  const text = reminderFor(scene.settings.modes)
  api.on('before_prompt_build', () => ({ appendSystemContext: text }), { priority: FIRST })
}
