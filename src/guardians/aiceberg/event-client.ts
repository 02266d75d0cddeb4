import type { ClientAnswer } from '../../client/exchange.ts'
import type { Fitting, Patience } from '../../client/fitting.ts'
import type { Peer } from '../../client/peer.ts'
import type { AskingCost } from '../../core/late-opinion.ts'
import type { FailureKind } from '../../protocol/verdict.ts'
import { errorIn, readAnswer } from './api.ts'
import type { EventAnswer, EventLabels, EventType, Scope } from './api.ts'

/** What came of telling an event. */
export type Told =
  | { readonly outcome: 'answered'; readonly answer: EventAnswer }
  | { readonly outcome: 'failed'; readonly why: FailureKind; readonly cause: string }

/** What is told, but for the labels. */
export type Telling =
  | { readonly input: string; readonly type: EventType; readonly output?: string }
  | { readonly eventId: string; readonly input: string; readonly type: EventType; readonly output: string }

/** A request as it goes out, and what came back; for whoever debugs. Texts are masked. */
export interface Exchanged {
  readonly request: Readonly<Record<string, unknown>>
  readonly answer?: Told
  readonly tookMs?: number
}

export interface EventClientOptions {
  readonly peer: Peer
  /** The path of the address, with that of events. */
  readonly path: string
  readonly fitting: Fitting
  readonly apiKey: string
  readonly scope: Scope
  readonly now: () => number
  readonly count: (cost: AskingCost) => void
  /** Makes up answers and sends nothing. */
  readonly dryRun: boolean
  /** Told of each request before it goes out, and of each answer. */
  readonly trace: (exchanged: Exchanged) => void
}

/** Tells the service of events. Never rejects. */
export interface EventClient {
  tell(telling: Telling, labels: EventLabels, patience: Patience): Promise<Told>
}

const failed = (why: FailureKind, cause: string): Told => ({ outcome: 'failed', why, cause })

const answerOf = (answer: ClientAnswer): Told => {
  if (answer.outcome === 'failed') return failed(answer.why, answer.cause)
  const { status, body } = answer
  if (status >= 300 && status < 400)
    return failed('invalid', `it answered with a redirect (${status}), which is not followed`)
  if (status === 401 || status === 403) return failed('invalid', `it refused the key (status ${status})`)
  if (status === 429 || status >= 500) return failed('unreachable', `it answered with status ${status}`)
  if (status !== 200 && status !== 201) {
    const said = errorIn(body)
    return failed('invalid', `it answered with status ${status}${said === undefined ? '' : `: ${said}`}`)
  }
  const read = readAnswer(body)
  return read === undefined
    ? failed('invalid', 'its answer has no event_id or no event_result')
    : { outcome: 'answered', answer: read }
}

/** An update alone is documented; where the service wants the input with it, its error says so. */
const wantsInput = (told: Told): boolean =>
  told.outcome === 'failed' && told.why === 'invalid' && /input.*(?:requir|empty|missing)/i.test(told.cause)

/** Makes a client of the event API. */
export const createEventClient = (options: EventClientOptions): EventClient => {
  const { peer, path, fitting, apiKey, scope, now, count, dryRun, trace } = options
  let made = 0

  const post = async (request: Readonly<Record<string, unknown>>, patience: Patience): Promise<Told> => {
    const body = JSON.stringify(request)
    const began = now()
    trace({ request })
    let requests = 0
    const told = answerOf(
      await fitting((signal) => {
        requests++
        return peer.post(body, { authorization: apiKey }, signal, path)
      }, patience),
    )
    const tookMs = now() - began
    const outcome = told.outcome === 'answered' ? 'answered' : told.why
    count({ what: 'asked', tookMs, bytes: body.length * requests, requests, outcome })
    trace({ request, answer: told, tookMs })
    return told
  }

  return Object.freeze<EventClient>({
    async tell(telling, labels, patience) {
      const { type, input, output } = telling
      // Never both ids; and the service is never to call the model by itself.
      const create = { ...scope, event_type: type, input, ...(output === undefined ? {} : { output }) }
      const update =
        'eventId' in telling ? { ...scope, event_type: type, event_id: telling.eventId, output } : undefined
      const request = { ...(update ?? create), forward_to_llm: false, ...labels }
      if (dryRun) {
        trace({ request })
        const eventId = 'eventId' in telling ? telling.eventId : `dry-run-${made++}`
        return { outcome: 'answered', answer: { eventId, result: 'passed' } }
      }
      const told = await post(request, patience)
      return update !== undefined && wantsInput(told) ? post({ ...request, input }, patience) : told
    },
  })
}
