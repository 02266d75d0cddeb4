import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { PluginSettings } from '../settings.ts'

/** What stands in the place of a text that is withheld. */
export const noticeOf = ({ verdict }: HookAnswer): string => `[${verdict.reason}]`

/** A text that is only masked is withheld whole where masking alone is not enough (`dlp_mask_only: false`). */
export const asText = ({ dlpMaskOnly }: PluginSettings, answer: HookAnswer): HookAnswer => {
  if (dlpMaskOnly || answer.verdict.decision !== 'modify') return answer
  const { text: _text, ...rest } = answer
  return { ...rest, reply: null, verdict: { ...answer.verdict, decision: 'deny' } }
}
