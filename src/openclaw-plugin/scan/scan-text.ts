import type { EventName } from '../../hosts/openclaw/events.ts'
import type { HookAnswer, HookCall } from '../../hosts/openclaw/host.ts'
import type { ScanText } from './requested-scan.ts'
import type { ContentType } from './scan-result.ts'
import { scanOfAnswer } from './answer-scan.ts'

/** What a scan of a text by itself is made with. */
export interface ScanTextParts {
  readonly ask: (call: HookCall) => Promise<HookAnswer>
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number
  readonly profileName: string
}

interface Seam {
  readonly hook: EventName
  readonly event: (text: string) => HookCall['event']
  /** Nothing comes of a prompt here; of a response there is the masked text. */
  readonly watch?: true
}

/** As which event a text is decided on. */
const SEAMS: { readonly [C in ContentType]: Seam } = {
  prompt: { hook: 'before_agent_run', event: (prompt) => ({ prompt, messages: [] }), watch: true },
  response: { hook: 'message_sending', event: (content) => ({ to: '', content }) },
}

/**
 * Beside the session it is asked in: whoever asks may be the model with somebody else's words, and in the session
 * itself those would count as the person's.
 */
const besides = (session: string): string => `${session}#sallyport-scan`

/** Scans texts with the guard of the plugin. They are decided on and recorded as any, in a session of their own. */
export const createScanText =
  ({ ask, now, profileName }: ScanTextParts): ScanText =>
  async ({ content, text, session, trId }) => {
    const { hook, event, watch } = SEAMS[content]
    const began = now()
    const answer = await ask({
      hook,
      event: event(text),
      context: { sessionKey: besides(session) },
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
