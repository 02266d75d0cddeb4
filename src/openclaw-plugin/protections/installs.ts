import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { BeforeInstallEvent } from '../host/host-hooks.ts'
import { callOf } from '../state/protection-context.ts'
import type { RegisterProtection } from './protection.ts'
import { FIRST, GRACE_MS } from './protection.ts'

/** Session of what an operator does, and no conversation. */
const SESSION = 'openclaw:install'
/** Bytes of a skill's text that are looked at; a model is shown no longer ones whole. */
const MOST_BYTES = 65_536

/** What a model would read of it: the text of a skill. Of a plugin there is none. */
const textOf = async ({ targetType, sourcePath }: BeforeInstallEvent): Promise<{ readonly text?: string }> => {
  if (targetType !== 'skill') return {}
  const file = await open(join(sourcePath, 'SKILL.md')).catch(() => undefined)
  if (file === undefined) return {}
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
    return { text: buffer.toString('utf8', 0, bytesRead) }
  } finally {
    await file.close()
  }
}

/**
 * What is put into the gateway is decided on before it is: whoever asks for it, and also where no agent does. A handler
 * that fails or is late blocks, by the host's own rule.
 */
export const installs: RegisterProtection = (api, shared) => {
  api.on(
    'before_install',
    async (event) => {
      const seen = { ...event, ...(await textOf(event)) }
      const answer = await shared.decisions.ask(callOf(shared, 'before_install', seen, { sessionKey: SESSION }))
      return answer.reply ?? undefined
    },
    { priority: FIRST, timeoutMs: shared.settings.deadlineMs + GRACE_MS },
  )
}
