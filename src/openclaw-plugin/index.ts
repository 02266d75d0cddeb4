import type { OpenClawApi } from './host/host-api.ts'
import { PLUGIN_ID } from './settings/plugin-contracts.ts'
import { registerPlugin } from './plugin.ts'

/** The entry that OpenClaw loads. It may be registered many times in one process, and starts nothing itself. */
export default {
  id: PLUGIN_ID,
  name: 'Sallyport',
  description: 'A guard for every step of your agents: decides what they may do, and records it.',
  register: (api: OpenClawApi): void => {
    registerPlugin(api)
  },
}
