import { textsOf } from '../../hosts/openclaw/decoders.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { Json } from '../../protocol/json.ts'
import type {
  BeforeAgentFinalizeResult,
  BeforeMessageWriteEvent,
  BeforeMessageWriteResult,
  WriteContext,
} from '../host-hooks.ts'
import { callOf, sessionOf } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { isRefused } from './inbound.ts'
import { asText, noticeOf } from './outbound-text.ts'
import type { Protect } from './protection.ts'
import { FIRST, GRACE_MS, LAST, SECOND } from './protection.ts'

/** Outputs that were looked at lately: the host shows the same text of a stream several times over. */
const SCREENED = 64

/** What the model says, before the host itself reads it: the one seam that every way out of the host passes. */
const createScreen = ({ asker, settings, withheld }: Scene): ((text: string) => string) => {
  const seen = new Map<string, string>()
  return (text) => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const answer = asText(settings, asker.screen(text))
    const said = isRefused(answer) ? noticeOf(answer) : (answer.text ?? text)
    if (said !== text) withheld.replaced(said, text)
    seen.set(text, said)
    for (const oldest of seen.keys()) {
      if (seen.size <= SCREENED) break
      seen.delete(oldest)
    }
    return said
  }
}

interface CallPart {
  readonly id: string
  readonly args: unknown
}

const callsOf = (content: unknown): readonly CallPart[] =>
  Array.isArray(content)
    ? content.flatMap((part: { readonly type?: unknown; readonly id?: unknown; readonly arguments?: unknown }) =>
        part.type === 'toolCall' && typeof part.id === 'string' ? [{ id: part.id, args: part.arguments }] : [],
      )
    : []

/** An agent's message on its way into the transcript. */
const writeAnswer = (
  scene: Scene,
  event: BeforeMessageWriteEvent,
  context: WriteContext,
): BeforeMessageWriteResult | undefined => {
  const { ledger, withheld, asker, settings } = scene
  const session = sessionOf({}, context)
  const { content } = event.message
  for (const { id, args } of callsOf(content)) withheld.bind({ session, call: id }, args)
  const texts = textsOf((content ?? null) as Json)
  for (const text of texts) withheld.drop(text)
  if (texts.every((text) => text.trim() === '')) return undefined
  const answer = asText(settings, asker.askNow(callOf(scene, 'before_message_write', event, context)))
  const [text = ''] = texts
  if (texts.length === 1 && scene.instant()) ledger.settle({ side: 'outbound', session, text }, answer)
  if (answer.text !== undefined) ledger.settle({ side: 'outbound', session, text: answer.text }, passed(answer))
  return answer.reply ?? undefined
}

/** What was masked may go on as it is now. */
const passed = ({ verdict, ...answer }: HookAnswer): HookAnswer => {
  const { text: _text, ...rest } = answer
  return { ...rest, reply: null, verdict: { ...verdict, decision: 'allow', findings: [] } }
}

/** The last answer of a run, for guardians that could not be asked at once: the model has to answer again. */
const finalize = async (
  scene: Scene,
  text: string,
  ask: () => Promise<HookAnswer>,
  session: string,
): Promise<BeforeAgentFinalizeResult | undefined> => {
  const answer = asText(scene.settings, await scene.ledger.once({ side: 'outbound', session, text }, ask))
  if (answer.verdict.decision === 'allow') return undefined
  scene.withheld.bar(text)
  return {
    action: 'revise',
    reason: 'sallyport',
    retry: {
      instruction: `Your answer was withheld. ${answer.verdict.reason} Answer again without it.`,
      idempotencyKey: 'sallyport',
      maxAttempts: 3,
    },
  }
}

/**
 * An answer that is not allowed is neither delivered nor kept. The host has no hook that could stop an answer on every
 * way out (over HTTP there is none at all), and the hook before the transcript cannot wait. So what the model says is
 * screened before the host reads it, at the seam for rewriting its texts: the host calls `String.replace` with what is
 * registered, and takes a function there though it is typed for a string (measured with 2026.9.6).
 */
export const outboundBlock: Protect = (api, scene) => {
  const screen = createScreen(scene)
  const replace = (text: string): string => (text.trim() === '' ? text : screen(text))
  const scrub = (text: string): string => scene.withheld.scrub(text)
  api.registerTextTransforms({
    input: [{ from: /^[\s\S]+$/, to: scrub }],
    output: [{ from: /^[\s\S]+$/, to: replace }],
  })
  api.on(
    'before_message_write',
    (event, context) => (event.message.role === 'assistant' ? writeAnswer(scene, event, context) : undefined),
    { priority: FIRST },
  )
  // A call goes on with the arguments that the model wrote, whether or not it is decided on.
  api.on(
    'before_tool_call',
    (event, context) => {
      const call = context.toolCallId ?? event.toolCallId
      if (call === undefined) return undefined
      const params = scene.withheld.restore({ session: sessionOf({}, context), call }, event.params)
      return params === undefined ? undefined : { params }
    },
    { priority: SECOND + 1 },
  )
  api.on(
    'before_agent_finalize',
    async (event, context) => {
      const text = event.lastAssistantMessage ?? ''
      if (text.trim() === '') return undefined
      const ask = () => scene.asker.ask(callOf(scene, 'before_agent_finalize', event, context))
      return finalize(scene, text, ask, sessionOf(event, context))
    },
    { priority: LAST, timeoutMs: scene.settings.deadlineMs + GRACE_MS },
  )
}
