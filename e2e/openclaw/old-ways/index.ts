/** Guards written as earlier plugins wrote them. Each acts on its own word only, so that the rest goes on as always. */
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry'

type Handler = (event: { readonly message?: unknown; readonly content?: unknown }) => unknown

interface Api {
  on(hook: string, handler: Handler): void
}

const holds = (value: unknown, word: string): boolean => JSON.stringify(value ?? '').includes(word)

export default definePluginEntry({
  id: 'old-ways',
  name: 'Old ways',
  description: 'Guards written as earlier plugins wrote them',
  register: (api: Api) => {
    api.on('before_message_write', async ({ message }) => (holds(message, 'BLOCKLATER') ? { block: true } : undefined))
    api.on('before_message_write', ({ message }) => (holds(message, 'BLOCKATONCE') ? { block: true } : undefined))
    api.on('message_sending', async ({ content }) => {
      if (holds(content, 'THROWONSEND')) throw new Error('The scanner could not be reached.')
      return holds(content, 'CANCELONSEND') ? { cancel: true } : undefined
    })
  },
})
