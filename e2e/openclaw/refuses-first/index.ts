/** Another plugin that is asked before ours: by a policy of the host, and by a hook that runs earlier. */
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry'

interface Call {
  readonly params?: unknown
}

interface Refusal {
  readonly block: true
  readonly blockReason: string
}

interface Api {
  on(hook: string, handler: (call: Call) => Refusal | undefined, options: { readonly priority: number }): void
  registerTrustedToolPolicy(policy: {
    readonly id: string
    readonly description: string
    readonly evaluate: (call: Call) => Refusal | undefined
  }): void
}

/** Refuses calls whose arguments hold the word. */
const refusing =
  (word: string) =>
  ({ params }: Call): Refusal | undefined =>
    JSON.stringify(params ?? '').includes(word) ? { block: true, blockReason: 'not today' } : undefined

export default definePluginEntry({
  id: 'refuses-first',
  name: 'Refuses first',
  description: 'Refuses tool calls before any other plugin is asked',
  register: (api: Api) => {
    api.registerTrustedToolPolicy({
      id: 'refuses-first',
      description: 'Refuses what says so',
      evaluate: refusing('REFUSEDBYPOLICY'),
    })
    api.on('before_tool_call', refusing('REFUSEDBYHOOK'), { priority: 1_000_000 })
  },
})
