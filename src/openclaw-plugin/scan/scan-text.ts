import type { EventName } from '../../hosts/openclaw/events.ts'
import type { HookAnswer, HookCall } from '../../hosts/openclaw/host.ts'
import type { ScanText } from './requested-scan.ts'
import type { ContentType } from './scan-result.ts'
import { scanOfAnswer } from './answer-scan.ts'

/** Dependencies of a separate scan. */
export interface ScanTextParts {
  readonly ask: (call: HookCall) => Promise<HookAnswer>
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly profileName: string
}

interface Seam {
  readonly hook: EventName
  readonly event: (text: string) => HookCall['event']
  /** A prompt has no consequences here; a response has its masked text. */
  readonly watch?: true
}

/** The event under which a text is decided. */
const SEAMS: { readonly [C in ContentType]: Seam } = {
  prompt: { hook: 'before_agent_run', event: (prompt) => ({ prompt, messages: [] }), watch: true },
  response: { hook: 'message_sending', event: (content) => ({ to: '', content }) },
}

/**
 * Beside the session of the request: the model may request it with another's text, which would count as the person's
 * prompt in the session itself.
 */
const scanSession = (session: string): string => `${session}#sallyport-scan`

/** Scans texts with the guard of the plugin. They are decided and recorded like others, in a session of their own. */
export const createScanText =
  ({ ask, now, profileName }: ScanTextParts): ScanText =>
  async ({ content, text, session, trId }) => {
    const { hook, event, watch } = SEAMS[content]
    const began = now()
    const answer = await ask({
      hook,
      event: event(text),
      context: { sessionKey: scanSession(session) },
      ...(watch === undefined ? {} : { watch }),
    })
    return scanOfAnswer({
      content,
      answer,
      profileName,
      sessionId: session,
      ...(trId === undefined ? {} : { trId }),
      latencyMs: Math.round(now() - began),
    })
  }
