/**
 * A messaging network in small: POST /testchannel/in is a person's message, and its answer holds all that was delivered
 * to that person meanwhile. What the agent sends by itself (the `message` tool) is appended to the file that
 * SALLYPORT_E2E_SENT names.
 */
import { appendFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createChannelPluginBase,
  createChatChannelPlugin,
  defineChannelPluginEntry,
} from 'openclaw/plugin-sdk/channel-core'

const ID = 'testchannel'

interface Outgoing {
  readonly to: string
  readonly text: string
}

interface Dispatched {
  readonly ctx: unknown
  readonly cfg: unknown
  readonly dispatcherOptions: {
    readonly deliver: (payload: unknown, info: unknown) => Promise<void>
    readonly onError: (error: unknown) => void
  }
}

/** What is used of the host's runtime (`plugin.runtime.channel.reply`). */
interface Runtime {
  readonly config: { current(): unknown }
  readonly channel: {
    readonly reply: {
      finalizeInboundContext(message: Readonly<Record<string, unknown>>): unknown
      dispatchReplyWithBufferedBlockDispatcher(job: Dispatched): Promise<unknown>
    }
  }
}

interface Api {
  registerHttpRoute(route: {
    readonly path: string
    readonly auth: string
    readonly handler: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>
  }): void
}

const resolveAccount = (_config: unknown, accountId?: string | null) => ({
  accountId: accountId ?? 'default',
  token: 'not used',
  allowFrom: ['*'],
  dmPolicy: 'open',
})

const sendText = async ({ to, text }: Outgoing): Promise<{ messageId: string }> => {
  const file = process.env['SALLYPORT_E2E_SENT']
  if (file === undefined) throw new Error('SALLYPORT_E2E_SENT names no file.')
  await appendFile(file, `${JSON.stringify({ to, text })}\n`)
  return { messageId: `sent-${Date.now()}` }
}

/** Every target is a person's id as it stands; there is no directory to look it up in. */
const messaging = {
  normalizeTarget: (raw: string): string => raw.trim(),
  inferTargetChatType: (): string => 'direct',
  targetResolver: {
    hint: '<id of a person>',
    looksLikeId: (): boolean => true,
    resolveTarget: async ({ normalized }: { readonly normalized: string }) => ({
      to: normalized,
      kind: 'user',
      source: 'normalized',
    }),
  },
}

const channel = createChatChannelPlugin({
  base: {
    ...(createChannelPluginBase({
      id: ID,
      config: {
        listAccountIds: () => ['default'],
        resolveAccount,
        inspectAccount: () => ({ enabled: true, configured: true, tokenStatus: 'available' }),
      },
      setup: { applyAccountConfig: ({ cfg }: { readonly cfg: unknown }) => cfg },
    }) as object),
    messaging,
  },
  security: {
    dm: { channelKey: ID, resolvePolicy: () => 'open', resolveAllowFrom: () => ['*'], defaultPolicy: 'open' },
  },
  threading: { topLevelReplyToMode: 'reply' },
  outbound: { attachedResults: { channel: ID, sendText }, base: { deliveryMode: 'direct' } },
})

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString('utf8')
}

/** A person's message, and what the network tells besides (members of the host's message context). */
interface Incoming {
  readonly from: string
  readonly text: string
  readonly facts?: Readonly<Record<string, unknown>>
}

const inboundOf = ({ from, text, facts = {} }: Incoming): Readonly<Record<string, unknown>> => ({
  Body: text,
  RawBody: text,
  CommandBody: text,
  BodyForAgent: text,
  From: `${ID}:${from}`,
  To: `${ID}:bot`,
  SessionKey: `agent:main:${ID}:direct:${from}`,
  AccountId: 'default',
  ChatType: 'direct',
  ConversationLabel: from,
  SenderName: from,
  SenderId: from,
  Provider: ID,
  Surface: ID,
  MessageSid: `in-${from}-${Date.now()}`,
  OriginatingChannel: ID,
  OriginatingTo: from,
  CommandAuthorized: true,
  ...facts,
})

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

const receive = async (runtime: Runtime, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const incoming = JSON.parse(await readBody(request)) as Incoming
  const delivered: unknown[] = []
  const errors: string[] = []
  try {
    const { reply } = runtime.channel
    await reply.dispatchReplyWithBufferedBlockDispatcher({
      ctx: reply.finalizeInboundContext(inboundOf(incoming)),
      cfg: runtime.config.current(),
      dispatcherOptions: {
        deliver: async (payload, info) => {
          delivered.push({ payload, info })
        },
        onError: (error) => errors.push(String(error)),
      },
    })
    answer(response, 200, { delivered, errors })
  } catch (error) {
    answer(response, 500, { delivered, errors: [...errors, String(error)] })
  }
}

// The host hands the runtime over before it registers, and evaluates this module once for each way of loading it.
const held: { runtime?: Runtime } = {}

export default defineChannelPluginEntry({
  id: ID,
  name: 'Test channel',
  description: 'Loopback channel of the end-to-end tests',
  plugin: channel,
  setRuntime: (runtime: Runtime) => {
    held.runtime = runtime
  },
  registerFull: (api: Api) => {
    api.registerHttpRoute({
      path: `/${ID}/in`,
      auth: 'gateway',
      handler: async (request, response) => {
        if (held.runtime === undefined) throw new Error('The host has handed over no runtime.')
        await receive(held.runtime, request, response)
        return true
      },
    })
  },
})
