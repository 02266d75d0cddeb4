import type { Step } from '../../src/protocol/step.ts'
import { observedText } from './observed-text.ts'

/** A shell command that an agent is about to run, now. */
export const called = (session: string, command: string): Step => ({
  ...observedText(session, 'toolCallRequest', { tool: { name: 'Bash' }, input: { command } }, Date.now()).step,
  id: `${session} ${command}`,
})
