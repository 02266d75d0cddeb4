import { INTER_SESSION } from '../../hosts/openclaw/host-internals.ts'
import type { EventName } from '../../hosts/openclaw/events.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import { scanOfAnswer } from '../answer-scan.ts'
import { isDecided } from '../ledger.ts'
import { besideSession, callOf, sessionOf } from '../scene.ts'
import type { HookContext, Scene } from '../scene.ts'

/** A message to the agent as some hook shows it. */
export interface Inbound {
  readonly hook: EventName
  readonly event: object
  readonly context: HookContext
  readonly text: string
  /** Where it is seen, if that is not the hook it is asked about as. */
  readonly seam?: string
}

/**
 * Decides on a message once, whichever hook sees it first, and puts the result into the scan cache. Where nothing is
 * blocked the decision is only recorded. What another session or a subagent says is decided on beside the session: in it
 * it would count as the person's word.
 */
export const decideInbound = async (
  scene: Scene,
  { hook, event, context, text, seam = hook }: Inbound,
): Promise<HookAnswer> => {
  const { settings, asker, ledger, cache, withheld } = scene
  const session = sessionOf(event, context)
  const ticket = cache.begin(session, text)
  const began = Date.now()
  const speaking = text.startsWith(INTER_SESSION) ? { ...context, sessionKey: besideSession(session) } : context
  const answer = await ledger.once({ side: 'inbound', session, text }, seam, () =>
    asker.ask(callOf(scene, hook, event, speaking, settings.modes['inbound-block'] === 'off')),
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
  if (!isRefused(answer) && isDecided(answer)) withheld.lift(text)
  return answer
}

/** Whether an answer keeps the message from the model. */
export const isRefused = ({ verdict }: HookAnswer): boolean =>
  verdict.decision !== 'allow' && verdict.decision !== 'modify'
