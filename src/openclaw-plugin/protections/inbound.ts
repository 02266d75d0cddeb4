import { INTER_SESSION } from '../../hosts/openclaw/host-internals.ts'
import type { EventName } from '../../hosts/openclaw/events.ts'
import type { HookAnswer, HookCall } from '../../hosts/openclaw/host.ts'
import { scanOfAnswer } from '../scan/answer-scan.ts'
import { isDecided } from '../state/decision-cache.ts'
import { contextSession, callOf, sessionOf } from '../state/protection-context.ts'
import type { HookContext, ProtectionContext } from '../state/protection-context.ts'

/** A message to the agent as some hook shows it. */
export interface Inbound {
  readonly hook: EventName
  readonly event: object
  readonly context: HookContext
  readonly text: string
  /** Where it is seen, if that is not the hook it is asked about as. */
  readonly seam?: string
}

/** Runs that no message has begun. */
const OWN_TRIGGERS: readonly string[] = ['cron', 'heartbeat']

/**
 * The call that a text is asked about as. A prompt that the host has put together by itself, of what is due and what was
 * reported, is nobody's message: refused for one secret, all else in it would be lost. What is only to be masked there is
 * masked on its way to the model.
 */
const callFor = (shared: ProtectionContext, { hook, event, context, text }: Inbound): HookCall => {
  const watch = shared.settings.modes['inbound-block'] === 'off'
  if (context.trigger !== undefined && OWN_TRIGGERS.includes(context.trigger))
    return callOf(shared, 'run_context', { prompt: text }, context, watch)
  return callOf(shared, hook, event, context, watch)
}

/**
 * Decides on a message once, whichever hook sees it first, and puts the result into the scan cache. Where nothing is
 * blocked the decision is only recorded. What another session or a subagent says is decided on beside the session: in it
 * it would count as the person's word.
 */
export const decideInbound = async (
  shared: ProtectionContext,
  { hook, event, context, text, seam = hook }: Inbound,
): Promise<HookAnswer> => {
  const { settings, decisions, decisionCache, cache, withheld } = shared
  const session = sessionOf(event, context)
  const ticket = cache.begin(session, text)
  const began = Date.now()
  const speaking = text.startsWith(INTER_SESSION) ? { ...context, sessionKey: contextSession(session) } : context
  const answer = await decisionCache.once({ side: 'inbound', session, text }, seam, () =>
    decisions.ask(callFor(shared, { hook, event, context: speaking, text })),
  )
  cache.put(
    ticket,
    scanOfAnswer({
      content: 'prompt',
      answer,
      profileName: settings.scanner.profileName,
      sessionId: session,
      latencyMs: Date.now() - began,
    }),
  )
  if (!isRefused(answer) && isDecided(answer)) withheld.remove(text)
  return answer
}

/** Whether an answer keeps the message from the model. */
export const isRefused = ({ verdict }: HookAnswer): boolean =>
  verdict.decision !== 'allow' && verdict.decision !== 'modify'
