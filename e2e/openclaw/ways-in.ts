import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { entryPaths, overChannel, overChannelAs, overHttp, replyTo, type EntryPath, type Facts } from './entry-paths.ts'
import type { GatewayAddress } from './gateway.ts'
import { OWNERS, hookToken } from './gateway-config.ts'
import type { GatewayRpc } from './gateway-rpc.ts'
import type { Answer } from './scripted-model.ts'
import { lastPlace, modelSaw, type Talk } from './talk.ts'

/** Where words are brought in. */
export interface Place {
  readonly gateway: GatewayAddress
  readonly rpc: GatewayRpc
  talk(path: EntryPath): Talk
}

/** A way by which words come to a model, and may come to rest in the host. */
export interface WayIn {
  readonly name: string
  /** Only one at a time: it changes what all conversations share. */
  readonly alone?: true
  /** Where the host keeps the words before any plugin hears of them: parts of the places' names. */
  readonly keeps?: readonly string[]
  /** Personal data are masked, too, as words of one conversation that are not for another. */
  readonly masksPersonal?: true
  /** The host keeps the words, and shows them to no model. */
  readonly keptOnly?: true
  /** Brings the words in and waits until they have come; the conversation that has to go on afterwards. */
  bring(place: Place, words: string): Promise<Talk>
}

const { channel, http, httpStream, webchat } = entryPaths
const FINE: Answer = { say: 'Nothing much.' }
/** What runs beside a turn is over by then. */
const BESIDE_MS = 3_000
/** Longest wait for what the host does in its own time. */
const SEEN_MS = 10_000
const POLL_MS = 500

const post = async ({ gateway }: Place, path: string, body: unknown, token = gateway.token): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  })
  return response.text()
}

/** The person's own words. */
const spoken = (path: EntryPath): WayIn => ({
  name: `a message over ${path.name}`,
  bring: async (place, words) => {
    const talk = place.talk(path)
    await talk.turn(words, FINE)
    return talk
  },
})

/** What stands beside the person's words. */
const beside = (name: string, pathOf: (words: string) => EntryPath): WayIn => ({
  name,
  bring: async (place, words) => {
    const talk = place.talk(pathOf(words))
    await talk.turn('What do you make of it?', FINE)
    return talk.over(talk.sessionKey.includes(':http-') ? http : channel)
  },
})

const told = (name: string, factsOf: (words: string) => Facts, keeps: WayIn['keeps'] = []): WayIn => ({
  ...beside(`${name}, channel`, (words) => overChannel(factsOf(words))),
  keeps,
})

/** Who is named by a secret has it in every name that the host makes of them, and in none that the guard does. */
const HOST_TABLES = ['openclaw.sqlite', 'openclaw-agent.sqlite', 'gateway.log']
const namedBy = (words: string): Facts => ({
  SenderId: words,
  From: `testchannel:${words}`,
  SessionKey: `agent:main:testchannel:direct:${words}`,
})

/** Names of groups and conversations are the host's own data. */
const IN_CONVERSATIONS = ['session_nodes.', 'session_windows.', 'conversations.label']

/** What an operator puts into a conversation lies there, and in the indexes that the host makes of it. */
const INJECTED = ['transcript_events.', 'session_transcript_', 'memory_index_']

const GROUP = { ChatType: 'group', GroupSubject: 'Friends', WasMentioned: true } as const

/** The host's own log of runs keeps a prompt that no person wrote as it came, but for tokens that the host masks itself. */
const LOG_OF_RUNS = 'trajectory_runtime_events'

/** What an agent hands on by a call of its own. */
const handed = (path: EntryPath, tool: string, inputOf: (words: string, other: Talk) => object): WayIn => ({
  name: `${tool}, ${path.name}`,
  // And every call as the model made it.
  keeps: [LOG_OF_RUNS],
  ...(tool.startsWith('sessions_') ? { masksPersonal: true } : {}),
  bring: async (place, words) => {
    const other = place.talk(path)
    await other.turn('Hello.', { say: 'Good day.' })
    const talk = place.talk(path)
    // Without a case of its own: what comes back of it would else be taken for the talk's next case.
    const input = { ...inputOf(words, other) }
    await talk.turn('Go on.', { calls: [{ tool, input }] }, { say: 'It is on its way.' }, { say: 'NO_REPLY' })
    await sleep(BESIDE_MS)
    return talk
  },
})

const RESPONSES = '/v1/responses'

const responded = (name: string, bodyOf: (words: string) => object): WayIn => ({
  name: `${name}, responses`,
  bring: async (place, words) => {
    await post(place, RESPONSES, { model: 'openclaw', ...bodyOf(words) })
    return place.talk(http)
  },
})

const item = (role: string, text: string) => ({ type: 'message', role, content: text })

/** Whole conversations that a caller sends over chat completions. */
const completed = (name: string, messagesOf: (words: string) => readonly object[]): WayIn => ({
  name: `${name}, http`,
  bring: async (place, words) => {
    await post(place, '/v1/chat/completions', { model: 'openclaw', messages: messagesOf(words) })
    return place.talk(http)
  },
})

const asked = { role: 'user', content: 'What do you make of it?' }

const JOB = z.looseObject({ id: z.string() })

const job = (name: string, jobOf: (words: string) => object): WayIn => ({
  name,
  // An operator's job is put down before any plugin hears of it.
  keeps: ['cron_jobs.', 'task_runs.', LOG_OF_RUNS],
  bring: async (place, words) => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const common = { name: randomUUID(), schedule: { kind: 'at', at }, wakeMode: 'now', ...jobOf(words) }
    const { id } = JOB.parse(await place.rpc.call('cron.add', common))
    await place.rpc.call('cron.run', { id, mode: 'force' })
    await sleep(BESIDE_MS)
    return place.talk(channel)
  },
})

const hook = (name: string, bodyOf: (words: string) => object): WayIn => ({
  name: `/hooks/${name}`,
  keeps: [LOG_OF_RUNS],
  bring: async (place, words) => {
    await post(place, `/hooks/${name}`, bodyOf(words), hookToken(place.gateway.token))
    await sleep(BESIDE_MS)
    return place.talk(channel)
  },
})

/** The first sentence, which nothing takes out. */
const firstSentence = (words: string): string => words.slice(0, words.indexOf('.') + 1)

/** Waits until the words have come to a model, if they do. */
const untilSeen = async ({ gateway }: Place, words: string, after: number): Promise<void> => {
  const until = Date.now() + SEEN_MS
  while (Date.now() < until && !(await modelSaw(gateway, firstSentence(words), after))) await sleep(POLL_MS)
}

interface CallOptions {
  readonly more?: string
  readonly keeps?: readonly string[]
  /** The host gives the words to a run of its own, and they are lost when a message supersedes it. */
  readonly ownRun?: boolean
}

/** A method of the gateway's control plane. */
const called = (
  method: string,
  paramsOf: (words: string, talk: Talk) => object,
  { more = '', keeps = [], ownRun = false }: CallOptions = {},
): WayIn => ({
  name: `${method}${more}, control plane`,
  keeps,
  bring: async (place, words) => {
    const talk = place.talk(webchat)
    await talk.turn('Hello.', { say: 'Good day.' })
    const after = await lastPlace(place.gateway)
    // What the host refuses to take has come nowhere.
    await place.rpc.call(method, paramsOf(words, talk)).catch(() => undefined)
    if (ownRun) await untilSeen(place, words, after)
    await sleep(BESIDE_MS)
    await talk.turn('What do you make of it?', FINE)
    return talk
  },
})

/** A file of the workspace that the host puts before the model. */
const kept = (file: string): WayIn => ({
  name: `${file} of the workspace`,
  alone: true,
  keeps: ['memory_index_'],
  bring: async (place, words) => {
    const path = join(place.gateway.workspace, file)
    await writeFile(path, `# Notes\n\n${words}\n`)
    try {
      const talk = place.talk(channel)
      await talk.turn('What do you make of it?', FINE)
      return talk
    } finally {
      // Without any file the host takes the workspace for lost.
      await writeFile(path, '# Notes\n')
    }
  },
})

/** Owners in turn, so that no two conversations of one run share theirs. */
const inTurn = (): (() => EntryPath) => {
  let next = 0
  return () => overChannelAs(OWNERS[next++ % OWNERS.length] ?? '')
}
const nextOwner = inTurn()

/** While the agent is at work. */
const steered = (name: string, textOf: (words: string) => string): WayIn => ({
  name,
  bring: async (place, words) => {
    const path = nextOwner()
    const talk = place.talk(path)
    const slow: Answer = { calls: [{ tool: 'exec', input: { command: 'sleep 2' } }] }
    const first = talk.turn('Take your time.', slow, FINE, FINE, FINE)
    await sleep(1_000)
    await path.send(place.gateway, place.rpc, talk.id, textOf(words))
    await first
    return talk
  },
})

/** A conversation that the host sums up. */
const compacted = (name: string, said: (words: string) => readonly string[]): WayIn => ({
  name,
  bring: async (place, words) => {
    const talk = place.talk(nextOwner())
    for (const text of said(words)) await talk.turn(text, { say: 'I see. '.repeat(20) })
    return talk
  },
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const textFile = (words: string) => ({
  type: 'file',
  mimeType: 'text/plain',
  fileName: 'notes.txt',
  content: base64(words),
})

/** What a channel has put down of a message's file. */
const attached: WayIn = {
  name: 'a text file, channel',
  keeps: ['media/inbound/'],
  bring: async (place, words) => {
    const folder = join(place.gateway.state, 'media', 'inbound')
    await mkdir(folder, { recursive: true })
    const path = join(folder, `${randomUUID()}.txt`)
    await writeFile(path, words)
    const media = [{ path, contentType: 'text/plain', kind: 'document', fileName: 'notes.txt' }]
    const talk = place.talk(overChannel({ media, MediaPath: path, MediaPaths: [path], MediaType: 'text/plain' }))
    await talk.turn('See the file.', FINE)
    await rm(path, { force: true })
    return talk.over(channel)
  },
}

/** All ways by which words come in, as far as they are known. */
export const WAYS_IN: readonly WayIn[] = [
  ...[channel, http, httpStream, webchat].map(spoken),
  told('a quoted message', replyTo),
  told('a chain of replies', (words) => ({
    ReplyToId: 'q1',
    ReplyChain: [{ messageId: 'q1', sender: 'somebody', body: words }],
  })),
  told('history of a group', (words) => ({
    ...GROUP,
    InboundHistory: [{ sender: 'somebody', body: words, timestamp: Date.now() }],
  })),
  told('beginning of a thread', (words) => ({
    ThreadStarterBody: words,
    IsFirstThreadTurn: true,
    MessageThreadId: 't1',
  })),
  told('history of a thread', (words) => ({
    ThreadHistoryBody: words,
    IsFirstThreadTurn: true,
    MessageThreadId: 't1',
  })),
  told('a forwarded message', (words) => ({
    ForwardedFrom: words,
    ForwardedFromType: 'user',
    ForwardedFromTitle: words,
  })),
  told("a sender's name", (words) => ({ SenderName: words })),
  told("a sender's id", namedBy, HOST_TABLES),
  told("a group's name", (words) => ({ ...GROUP, GroupSubject: words }), IN_CONVERSATIONS),
  told('members of a group', (words) => ({ ...GROUP, GroupMembers: words })),
  told('the prompt of a group', (words) => ({ ...GROUP, GroupSystemPrompt: words })),
  told('the label of a conversation', (words) => ({ ...GROUP, ConversationLabel: words }), IN_CONVERSATIONS),
  told('what the channel tells', (words) => ({ ChannelPromptContext: [words] })),
  told('what the channel tells in fields', (words) => ({
    ChannelStructuredContext: [{ label: 'facts', payload: { note: words } }],
  })),
  told('the name of a place', (words) => ({
    LocationLat: 1,
    LocationLon: 2,
    LocationName: words,
    LocationCaption: words,
  })),
  attached,
  beside('a system message, http', (words) => overHttp(words)),
  {
    name: 'the name of a caller, http',
    keeps: HOST_TABLES,
    keptOnly: true,
    bring: async (place, words) => {
      await post(place, '/v1/chat/completions', { model: 'openclaw', user: words, messages: [asked] })
      return place.talk(http)
    },
  },
  completed('a message of the developer', (words) => [{ role: 'developer', content: words }, asked]),
  completed('an earlier message', (words) => [
    { role: 'user', content: words },
    { role: 'assistant', content: 'I see.' },
    asked,
  ]),
  completed('an earlier answer', (words) => [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: words },
    asked,
  ]),
  completed('a result of a caller', (words) => [
    asked,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: words },
  ]),
  responded('a message', (words) => ({ input: words })),
  responded('instructions', (words) => ({ instructions: words, input: 'What do you make of it?' })),
  responded('a message of the developer', (words) => ({
    input: [item('developer', words), item('user', 'What do you make of it?')],
  })),
  responded('an earlier message', (words) => ({
    input: [item('user', words), item('assistant', 'I see.'), item('user', 'And now?')],
  })),
  responded('a result of a caller', (words) => ({
    input: [
      item('user', 'Look.'),
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: words },
    ],
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }],
  })),
  responded('a file', (words) => ({
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'See the file.' },
          {
            type: 'input_file',
            source: { type: 'base64', media_type: 'text/plain', data: base64(words), filename: 'notes.txt' },
          },
        ],
      },
    ],
  })),
  handed(channel, 'sessions_spawn', (task) => ({ task })),
  handed(http, 'sessions_spawn', (task) => ({ task })),
  handed(channel, 'sessions_send', (message, { sessionKey }) => ({ sessionKey, message })),
  handed(http, 'sessions_send', (message, { sessionKey }) => ({ sessionKey, message })),
  handed(channel, 'create_goal', (objective) => ({ objective })),
  job('a job of its own session', (message) => ({
    sessionTarget: 'isolated',
    payload: { kind: 'agentTurn', message },
  })),
  job('a job of the main session', (text) => ({ sessionTarget: 'main', payload: { kind: 'systemEvent', text } })),
  hook('agent', (message) => ({ message, name: 'Import', deliver: false, waitForCompletion: true })),
  hook('wake', (text) => ({ text, mode: 'now' })),
  steered('a message to a running agent', (words) => words),
  steered('/steer to a running agent', (words) => `/steer ${words}`),
  steered('/btw beside a running agent', (words) => `/btw ${words}`),
  compacted('what /compact is told', (words) => ['Hello.', 'And on.', `/compact ${words}`, 'What now?']),
  compacted('a message before /compact', (words) => [words, 'And on.', 'And on.', '/compact', 'What now?']),
  compacted('/goal', (words) => [`/goal start ${words}`, 'What now?', '/goal clear']),
  called('wake', (text, { sessionKey }) => ({ mode: 'now', text, sessionKey }), { ownRun: true }),
  {
    ...called('chat.inject', (message, { sessionKey }) => ({ sessionKey, message }), { keeps: INJECTED }),
    keptOnly: true,
  },
  called('sessions.send', (message, { sessionKey }) => ({ key: sessionKey, message, idempotencyKey: randomUUID() })),
  called('agent', (message, { sessionKey }) => ({ sessionKey, message, idempotencyKey: randomUUID() }), {
    keeps: ['task_runs.', LOG_OF_RUNS],
  }),
  called(
    'agent',
    (extraSystemPrompt, { sessionKey }) => ({
      sessionKey,
      message: 'Hello.',
      extraSystemPrompt,
      idempotencyKey: randomUUID(),
    }),
    { more: ' with a prompt of its own' },
  ),
  called(
    'chat.send',
    (words, { sessionKey }) => ({
      sessionKey,
      message: 'See the file.',
      attachments: [textFile(words)],
      idempotencyKey: randomUUID(),
    }),
    { more: ' with a file', keeps: ['media/inbound/'] },
  ),
  called('sessions.create', (message) => ({ key: `agent:main:web-${randomUUID()}`, message })),
  kept('AGENTS.md'),
  kept('MEMORY.md'),
  kept('USER.md'),
]
