import { createBoundedMap } from '../../bounded/bounded-map.ts'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import { isJsonObject } from '../../protocol/fields.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { spliced } from '../json/splice.ts'
import type { Id, Message } from './message.ts'
import { metaOf } from './message.ts'

type CallMessage = Extract<Message, { kind: 'request' }>

/** What a person answered to a question about a call. */
export type Reply = 'accepted' | 'declined'

/** The second round of a call that the client's person was asked about. */
export type Resumed =
  | { readonly outcome: 'accepted'; readonly text: string }
  | { readonly outcome: 'declined' }
  /** The round is not one of ours. */
  | { readonly outcome: 'other' }

/** Questions to the client's person, by the means of MCP. */
export interface Questions {
  /** Question by a request of our own, before 2026-07-28. */
  byRequest(
    call: CallMessage,
    reason: string,
  ): { readonly id: string; readonly text: string; readonly reply: Promise<Reply> }
  /** Ends a question by request without an answer. */
  drop(id: string): void
  /** Takes an answer to a request of ours; false for any other. */
  take(id: Id, answer: JsonObject): boolean
  /** Question by a result, from 2026-07-28 on: the client sends the call again with the answer. */
  byResult(call: CallMessage, reason: string): string
  /** The call to go on with, if this is such a second round. */
  resume(call: CallMessage): Resumed
}

const KEY = 'sallyport'
const SHOWN = 1_000
/** Questions that wait for a person; the oldest is given up. */
const MOST = 200

const FORM: JsonObject = {
  type: 'object',
  properties: { allow: { type: 'boolean', title: 'Allow this call' } },
  required: ['allow'],
}

const wordsOf = ({ params }: CallMessage, reason: string): string => {
  const shown = JSON.stringify(params['arguments'] ?? {})
  const input = shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN).toWellFormed()} …`
  return `${reason}\n\n${JSON.stringify(params['name'] ?? null)} ${input}`
}

const replyIn = (answer: Json | undefined): Reply => {
  if (!isJsonObject(answer) || answer['action'] !== 'accept') return 'declined'
  const { content } = answer
  return isJsonObject(content) && content['allow'] === true ? 'accepted' : 'declined'
}

const callKey = ({ params }: CallMessage): string => canonicalJson([params['name'] ?? null, params['arguments'] ?? {}])

/** The first round's message under the second one's id, with the second one's `_meta`; nothing else of it goes on. */
const again = (first: CallMessage, second: CallMessage): string | undefined =>
  spliced(first.text, first.value, [
    ['/id', second.id],
    ['/params/_meta', metaOf(second.params)],
  ])

/** Creates the questions of one session. */
export const createQuestions = (makeId: () => string): Questions => {
  const requests = createBoundedMap<string, (reply: Reply) => void>({
    most: MOST,
    dropped: (_id, end) => end('declined'),
  })
  const rounds = createBoundedMap<string, CallMessage>({ most: MOST })
  return Object.freeze<Questions>({
    byRequest(call, reason) {
      const id = `${KEY}-${makeId()}`
      const { promise, resolve } = Promise.withResolvers<Reply>()
      requests.set(id, resolve)
      const params = { message: wordsOf(call, reason), requestedSchema: FORM }
      return {
        id,
        text: JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params }),
        reply: promise,
      }
    },
    drop(id) {
      requests.get(id)?.('declined')
      requests.delete(id)
    },
    take(id, answer) {
      const end = typeof id === 'string' ? requests.get(id) : undefined
      if (end === undefined) return false
      requests.delete(id as string)
      end(replyIn(answer['result']))
      return true
    },
    byResult(call, reason) {
      const state = `${KEY}-${makeId()}`
      rounds.set(state, call)
      return JSON.stringify({
        jsonrpc: '2.0',
        id: call.id,
        result: {
          resultType: 'input_required',
          inputRequests: {
            [KEY]: {
              method: 'elicitation/create',
              params: { mode: 'form', message: wordsOf(call, reason), requestedSchema: FORM },
            },
          },
          requestState: state,
        },
      })
    },
    resume(call) {
      const state = call.params['requestState']
      const responses = call.params['inputResponses']
      if (typeof state !== 'string' || !state.startsWith(`${KEY}-`)) return { outcome: 'other' }
      const first = rounds.get(state)
      rounds.delete(state)
      const reply = replyIn(isJsonObject(responses) ? responses[KEY] : undefined)
      // One answer is final: a client that has nobody to ask would repeat the round.
      if (first === undefined || reply !== 'accepted' || callKey(first) !== callKey(call))
        return { outcome: 'declined' }
      const text = again(first, call)
      return text === undefined ? { outcome: 'declined' } : { outcome: 'accepted', text }
    },
  })
}
