import type { HookAnswer, HookCall } from '../../hosts/openclaw/host.ts'
import { refusedHook } from '../../hosts/openclaw/host.ts'
import { reasonText } from '../../hosts/reason-text.ts'
import type { BeforeMessageWriteResult } from '../host/host-hooks.ts'
import type { PluginSettings } from '../settings/settings.ts'

/** What stands in the place of a text that is withheld. */
export const noticeOf = ({ verdict }: HookAnswer): string => `[${reasonText(verdict.reason)}]`

/** What stands in the place of a text may go on: whoever sees it next need not ask. */
export const passing = ({ verdict, step }: HookAnswer): HookAnswer => ({
  reply: null,
  verdict: { ...verdict, decision: 'allow', reasonCodes: [], findings: [] },
  ...(step === undefined ? {} : { step }),
})

/** A message on its way into the transcript, as it may stand there after an answer that is no plain allow. */
export const withheldMessage = ({ event }: HookCall, answer: HookAnswer): BeforeMessageWriteResult => {
  const masked = answer.verdict.decision === 'modify' ? answer.reply : null
  const { reply } = refusedHook('before_message_write', event, 'SP_OPENCLAW_UNDECIDED', answer.verdict.reason)
  return masked ?? reply ?? { block: true }
}

/** A text that is only masked is withheld whole where masking alone is not enough (`dlp_mask_only: false`). */
export const asText = ({ dlpMaskOnly }: PluginSettings, answer: HookAnswer): HookAnswer => {
  if (dlpMaskOnly || answer.verdict.decision !== 'modify') return answer
  const { text: _text, ...rest } = answer
  return { ...rest, reply: null, verdict: { ...answer.verdict, decision: 'deny' } }
}
