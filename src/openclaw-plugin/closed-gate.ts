import type { OpenClawApi } from './host-api.ts'
import { FIRST } from './protections/protection.ts'

/** Stops every run and every tool call, and says why: a guard that cannot work is not to look like one that does. */
export const closeGate = (api: OpenClawApi, reason: string): void => {
  const options = { priority: FIRST }
  api.on('before_dispatch', () => ({ handled: true, text: reason }), options)
  api.on('before_agent_reply', () => ({ handled: true, reply: { text: reason }, reason: 'sallyport' }), options)
  api.on('before_agent_run', () => ({ outcome: 'block', reason: 'sallyport', message: reason }), options)
  api.on('before_tool_call', () => ({ block: true, blockReason: reason }), options)
}
