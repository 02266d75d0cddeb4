import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { ReplyPayload } from '../host-hooks.ts'
import { callOf, sessionOf } from '../scene.ts'
import { isRefused } from './inbound.ts'
import { asText, noticeOf } from './outbound-text.ts'
import type { Protect } from './protection.ts'
import { GRACE_MS, LAST } from './protection.ts'

/** A payload that is its text alone: the rest are switches. */
const isPlain = ({ text: _text, ...rest }: ReplyPayload): boolean =>
  Object.values(rest).every((value) => value === null || value === undefined || typeof value === 'boolean')

/** How a text goes on after an answer: as it is (`undefined`), masked, or a notice in its place. */
const goesOnAs = (answer: HookAnswer): string | undefined => {
  if (isRefused(answer)) return noticeOf(answer)
  return answer.verdict.decision === 'modify' ? answer.text : undefined
}

/**
 * Replies are decided on where they leave for a channel. Both hooks let a reply pass whose handler fails or is late, so
 * ours answers in time, and with the refusal where there is no verdict. Ours come last: they see what goes out.
 */
export const outbound: Protect = (api, scene) => {
  const { settings, ledger, asker } = scene
  const options = { priority: LAST, timeoutMs: settings.deadlineMs + GRACE_MS }
  const decide = async (session: string, text: string, ask: () => Promise<HookAnswer>): Promise<HookAnswer> => {
    const answer = asText(settings, await ledger.once({ side: 'outbound', session, text }, ask))
    const after = goesOnAs(answer)
    // What stands there instead is not looked at again by the hook after this one.
    if (after !== undefined)
      ledger.settle(
        { side: 'outbound', session, text: after },
        { reply: null, verdict: { ...answer.verdict, decision: 'allow', findings: [] } },
      )
    return answer
  }
  api.on(
    'reply_payload_sending',
    async (event, context) => {
      const session = sessionOf(event, context)
      const { payload } = event
      if (isPlain(payload) && (payload.text ?? '').trim() === '') return undefined
      const text = isPlain(payload) ? (payload.text ?? '') : JSON.stringify(payload)
      const answer = await decide(session, text, () =>
        asker.ask(callOf(scene, 'reply_payload_sending', event, context)),
      )
      if (isRefused(answer)) return { payload: { text: noticeOf(answer), isError: true } }
      if (answer.verdict.decision !== 'modify') return undefined
      const changed = answer.reply as { readonly payload?: ReplyPayload } | null
      if (!isPlain(payload) && changed?.payload !== undefined) return { payload: changed.payload }
      return { payload: { ...payload, ...(answer.text === undefined ? {} : { text: answer.text }) } }
    },
    options,
  )
  api.on(
    'message_sending',
    async (event, context) => {
      if (event.content.trim() === '') return undefined
      const answer = await decide(sessionOf({}, context), event.content, () =>
        asker.ask(callOf(scene, 'message_sending', event, context)),
      )
      const content = goesOnAs(answer)
      return content === undefined ? undefined : { content }
    },
    options,
  )
}
