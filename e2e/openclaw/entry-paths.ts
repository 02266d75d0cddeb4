import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { GatewayAddress } from './gateway.ts'
import type { GatewayRpc } from './gateway-rpc.ts'

/** The answer that a person saw to one message, in whatever form the gateway answers on that path. */
export interface Shown {
  /** HTTP status; 200 for what has none. */
  readonly status: number
  /** Every text that reached the person, previews and partial answers included, in order. */
  readonly texts: readonly string[]
  /** The final answer: the last complete one. */
  readonly last: string
}

/** A path on which a person's message reaches the agent. */
export interface EntryPath {
  readonly name: 'channel' | 'http' | 'http-stream' | 'webchat'
  /** The host's key of the session that `talk` has on this path. */
  sessionKey(talk: string): string
  send(gateway: GatewayAddress, rpc: GatewayRpc, talk: string, text: string): Promise<Shown>
}

const LIMIT_MS = 150_000

const post = (gateway: GatewayAddress, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`http://127.0.0.1:${gateway.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  })

const DELIVERIES = z.object({
  delivered: z.array(z.object({ payload: z.looseObject({ text: z.string().optional() }) })),
  errors: z.array(z.string()),
})

/** Data that a messaging network sends with a message: members of the host's message context. */
export type Facts = Readonly<Record<string, unknown>>

/** A message that replies to another person's message. */
export const replyTo = (quoted: string): Facts => ({
  ReplyToId: 'quoted-1',
  ReplyToBody: quoted,
  ReplyToSender: 'somebody',
})

/** Over the channel, with the network's data for each message. */
export const overChannel = (facts: Facts = {}): EntryPath => ({
  name: 'channel',
  sessionKey: (talk) => `agent:main:testchannel:direct:${talk}`,
  send: async (gateway, _rpc, talk, text) => {
    const response = await post(gateway, '/testchannel/in', { from: talk, text, facts })
    const { delivered } = DELIVERIES.parse(await response.json())
    // The whole payload counts as shown: media and buttons may carry text, too.
    const texts = delivered.map(({ payload }) => JSON.stringify(payload))
    return { status: response.status, texts, last: delivered.at(-1)?.payload.text ?? '' }
  },
})

const channel = overChannel()

/** Somebody on the channel who is always the same. */
export const overChannelAs = (from: string): EntryPath => ({
  ...channel,
  sessionKey: () => channel.sessionKey(from),
  send: (gateway, rpc, _talk, text) => channel.send(gateway, rpc, from, text),
})

const COMPLETION = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullable() }) })).optional(),
})

const httpKey = (talk: string): string => `agent:main:http-${talk}`

const completionRequest = (text: string, stream: boolean, system?: string) => ({
  model: 'openclaw',
  stream,
  messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), { role: 'user', content: text }],
})

/** Over HTTP, whole answers; with a system message of the caller's beside each of the person's, if given. */
export const overHttp = (system?: string): EntryPath => ({
  name: 'http',
  sessionKey: httpKey,
  send: async (gateway, _rpc, talk, text) => {
    const headers = { 'x-openclaw-session-key': httpKey(talk) }
    const response = await post(gateway, '/v1/chat/completions', completionRequest(text, false, system), headers)
    const raw = await response.text()
    const { choices } = COMPLETION.parse(JSON.parse(raw))
    return { status: response.status, texts: [raw], last: choices?.[0]?.message.content ?? '' }
  },
})

const http = overHttp()

const CHUNK = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }).optional() })).optional(),
})

const httpStream: EntryPath = {
  name: 'http-stream',
  sessionKey: httpKey,
  send: async (gateway, _rpc, talk, text) => {
    const headers = { 'x-openclaw-session-key': httpKey(talk) }
    const response = await post(gateway, '/v1/chat/completions', completionRequest(text, true), headers)
    const raw = await response.text()
    const lines = raw.split('\n').filter((line) => line.startsWith('data: {'))
    const chunks = lines.map((line) => CHUNK.parse(JSON.parse(line.slice('data: '.length))))
    const last = chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('')
    return { status: response.status, texts: [raw, last], last }
  },
}

const CHAT_EVENT = z.looseObject({ runId: z.string(), state: z.string(), message: z.unknown().optional() })
const OVER: readonly string[] = ['final', 'error', 'aborted']
const STARTED = z.looseObject({ runId: z.string() })
const MESSAGE = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]),
})

const textOf = (message: unknown): string => {
  const parsed = MESSAGE.safeParse(message)
  if (!parsed.success) return ''
  const { content } = parsed.data
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}

const webchat: EntryPath = {
  name: 'webchat',
  sessionKey: (talk) => `agent:main:web-${talk}`,
  send: async (_gateway, rpc, talk, text) => {
    const from = rpc.events.length
    const params = { sessionKey: webchat.sessionKey(talk), message: text, idempotencyKey: randomUUID() }
    const { runId } = STARTED.parse(await rpc.call('chat.send', params))
    const isOver = ({ event, payload }: { readonly event: string; readonly payload: unknown }): boolean => {
      const chat = CHAT_EVENT.safeParse(payload)
      return event === 'chat' && chat.success && chat.data.runId === runId && OVER.includes(chat.data.state)
    }
    const over = await rpc.waitFor(isOver, LIMIT_MS)
    const mine = rpc.events.slice(from).filter(({ payload }) => JSON.stringify(payload ?? null).includes(runId))
    return {
      status: 200,
      texts: mine.map(({ payload }) => JSON.stringify(payload)),
      last: textOf(CHAT_EVENT.parse(over.payload).message),
    }
  },
}

/** The paths of incoming messages, on which the same promises must hold. */
export const entryPaths = { channel, http, httpStream, webchat } as const
