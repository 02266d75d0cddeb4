import type { Json, JsonObject } from '../../../src/protocol/json.ts'

/** Requests of every method, written from the standard's text. */

export const AGENT: JsonObject = {
  id: 'agent-1',
  name: 'Helper',
  url: 'https://agents.example/helper',
  instructions: 'Help.',
  version: '3',
  provider: { name: 'Example', url: 'https://example.com' },
  tools: [
    { id: 'tool-1', name: 'Bash', type: 'function', arguments: null, outputs: null },
    {
      id: 'tool-2',
      name: 'send_email',
      description: 'Sends an e-mail.',
      type: 'function',
      arguments: [{ name: 'to', required: true, type: 'string' }],
      outputs: [],
    },
  ],
}

/** The context of a step in a session of its own, so that no test sees another's past. */
export const contextOf = (session: string, more: JsonObject = {}): JsonObject => ({
  agent: AGENT,
  session: { id: session },
  turnId: 'turn-1',
  stepId: 'step-1',
  timestamp: '2026-01-24T15:30:45.123Z',
  ...more,
})

/** A call. */
export const callOf = (method: string, params?: Json, id: string | number = 'call-1'): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

/** How a text gets into the request of a method. */
export interface MethodRow {
  readonly id: string
  readonly method: string
  /** Whether the standard has a modified form of it. */
  readonly modifies: boolean
  readonly params: (text: string, session: string) => JsonObject
}

const PEER: JsonObject = { name: 'Peer', url: 'https://peer.example/v1', version: '1.0.0' }
/** As in the standard's examples: a full agent without an id, which both schemas take. */
const { id: _, ...OWN } = AGENT

const a2aContext = { from: { agent: OWN, role: 'client' }, to: { agent: PEER, role: 'server' } }

/** An A2A exchange in a conversation of its own. */
export const a2aParams = (
  method: string,
  text: string,
  session: string,
  context: JsonObject = a2aContext,
): JsonObject => ({
  payload: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      taskId: session,
      message: { role: 'user', messageId: 'm-1', contextId: session, parts: [{ kind: 'text', text }] },
    },
  },
  context,
})

const step = (id: string, method: string, what: (text: string) => JsonObject): MethodRow => ({
  id: `method-${id}`,
  method: `steps/${method}`,
  modifies: true,
  params: (text, session) => ({ ...what(text), reasoning: 'They asked for it.', context: contextOf(session) }),
})

const a2a = (id: string, method: string, modifies = true): MethodRow => ({
  id: `method-${id}`,
  method,
  modifies,
  params: (text, session) => a2aParams(method, text, session),
})

const parts = (text: string): Json => [{ kind: 'text', text }]

/** Every method that is decided on. */
export const METHOD_ROWS: readonly MethodRow[] = [
  step('trigger', 'agentTrigger', (text) => ({
    trigger: {
      type: 'autonomous',
      event: { type: 'email', id: 'mail-1' },
      content: [{ kind: 'data', data: { body: text } }],
    },
  })),
  step('message', 'message', (text) => ({ message: { id: 'm-1', role: 'user', content: parts(text) } })),
  step('message', 'message', (text) => ({
    message: { id: 'm-1', role: 'agent', content: parts(text) },
    citations: [],
  })),
  step('message', 'message', (text) => ({ message: { id: 'm-1', role: 'system', content: parts(text) } })),
  step('tool-call', 'toolCallRequest', (text) => ({
    toolCallRequest: { executionId: 'execution-1', toolId: 'tool-2', inputs: [{ name: 'body', value: text }] },
  })),
  step('tool-result', 'toolCallResult', (text) => ({
    toolCallResult: { executionId: 'execution-1', result: { outputs: parts(text), isError: false } },
  })),
  step('memory-retrieval', 'memoryContextRetrieval', (text) => ({ memory: ['one', text] })),
  step('memory-store', 'memoryStore', (text) => ({ memory: [text] })),
  step('knowledge', 'knowledgeRetrieval', (text) => ({
    knowledgeStep: { query: 'accounts', keywords: ['bank'], results: [{ id: 'r-1', content: text }] },
  })),
  {
    id: 'method-mcp',
    method: 'protocols/MCP',
    modifies: true,
    params: (text) => ({
      message: { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'p', arguments: { text } } },
    }),
  },
  {
    id: 'method-mcp',
    method: 'protocols/MCP',
    modifies: true,
    params: (text) => ({ message: { jsonrpc: '2.0', id: 1, result: { contents: [{ uri: 'file:///a', text }] } } }),
  },
  a2a('a2a-send', 'message/send'),
  a2a('a2a-stream', 'message/stream'),
  a2a('a2a-get', 'tasks/get'),
  a2a('a2a-cancel', 'tasks/cancel', false),
  a2a('a2a-resubscribe', 'tasks/resubscribe', false),
  a2a('a2a-push-set', 'tasks/pushNotificationConfig/set'),
  a2a('a2a-push-get', 'tasks/pushNotificationConfig/get', false),
]
