/**
 * A gateway written from the text of AOS 0.1.0 alone (specification.md, hooks.md, the pages of A2A and MCP); where schema
 * and text differ it does as the text says. It knows nothing of Sallyport and imports nothing of it.
 */

type Content = Readonly<Record<string, unknown>>

/** What becomes of a step: there is text after, as it was or as the guardian has it, or the step is blocked. */
export type Passage = { readonly goesOn: string } | 'blocked'

/** One hook: how a text gets into its params and what is taken back out of a modified request. */
export interface Hook {
  readonly name: string
  readonly method: string
  readonly put: (text: string) => Content
  readonly take: (request: Content) => unknown
}

const AGENT = {
  id: 'agent-7',
  name: 'Clerk',
  instructions: 'File things.',
  version: '2',
  provider: { name: 'Example', url: 'https://example.com' },
}
const PEER = { url: 'https://peer.example', name: 'Peer', version: '1' }
const SIDES = { from: { agent: AGENT, role: 'client' }, to: { agent: PEER, role: 'server' } }

/** Follows members and indices. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (so, name) => (typeof so === 'object' && so !== null ? (so as Record<string, unknown>)[name] : undefined),
    value,
  )

/** StepContext (SPEC 3.1). */
const context = (session: string): Content => ({
  agent: AGENT,
  session: { id: session },
  turnId: 'turn-1',
  stepId: 'step-1',
  timestamp: '2026-02-03T04:05:06Z',
})

const step = (
  name: string,
  method: string,
  put: (text: string) => Content,
  ...path: readonly (string | number)[]
): Hook => ({
  name,
  method,
  put: (text) => ({ params: { ...put(text), reasoning: 'As asked.', context: context(`gateway ${name}`) } }),
  take: (request) => at(request, 'params', ...path),
})

const said = (role: string): Hook =>
  step(
    `a message of the ${role}`,
    'steps/message',
    (text) => ({ message: { id: 'm', role, content: [{ kind: 'text', text }] } }),
    'message',
    'content',
    0,
    'text',
  )

/** SPEC 4.8.1: payload and context stand beside the method. */
const a2a = (method: string): Hook => ({
  name: method,
  method,
  put: (text) => ({
    payload: {
      jsonrpc: '2.0',
      id: 9,
      method,
      params: { message: { role: 'user', contextId: `gateway ${method}`, parts: [{ kind: 'text', text }] } },
    },
    context: SIDES,
    reasoning: 'As asked.',
  }),
  take: (request) => at(request, 'payload', 'params', 'message', 'parts', 0, 'text'),
})

const mcp = (name: string, put: (text: string) => Content, ...path: readonly (string | number)[]): Hook => ({
  name,
  method: 'protocols/MCP',
  put: (text) => ({ params: { message: { jsonrpc: '2.0', id: 3, ...put(text) }, reasoning: 'As asked.' } }),
  take: (request) => at(request, 'params', 'message', ...path),
})

/** Every hook whose content can be given back changed. */
export const HOOKS: readonly Hook[] = [
  step(
    'a trigger',
    'steps/agentTrigger',
    (text) => ({
      trigger: { type: 'autonomous', event: { type: 'mail', id: '1' }, content: [{ kind: 'text', text }] },
    }),
    'trigger',
    'content',
    0,
    'text',
  ),
  said('user'),
  said('agent'),
  step(
    'a call',
    'steps/toolCallRequest',
    (text) => ({ toolCallRequest: { executionId: 'x', toolId: 'mail', inputs: [{ name: 'body', value: text }] } }),
    'toolCallRequest',
    'inputs',
    0,
    'value',
  ),
  // SPEC 4.6.1: beside the context.
  step(
    'a result',
    'steps/toolCallResult',
    (text) => ({ executionId: 'x', result: { outputs: [{ kind: 'text', text }], isError: false } }),
    'result',
    'outputs',
    0,
    'text',
  ),
  step('memory that is read', 'steps/memoryContextRetrieval', (text) => ({ memory: [text] }), 'memory', 0),
  step('memory that is kept', 'steps/memoryStore', (text) => ({ memory: [text] }), 'memory', 0),
  step(
    'knowledge',
    'steps/knowledgeRetrieval',
    (text) => ({ knowledgeStep: { query: 'q', keywords: [], results: [{ id: '1', content: text }] } }),
    'knowledgeStep',
    'results',
    0,
    'content',
  ),
  mcp(
    'an MCP call',
    (text) => ({ method: 'tools/call', params: { name: 'find', arguments: { body: text } } }),
    'params',
    'arguments',
    'body',
  ),
  mcp('an MCP result', (text) => ({ result: { content: [{ type: 'text', text }] } }), 'result', 'content', 0, 'text'),
  ...['message/send', 'message/stream', 'tasks/get', 'tasks/pushNotificationConfig/set'].map(a2a),
]

/** Puts a text to a hook and does what the guardian says (SPEC 5.1, HOOKS): what is not allowed in so many words does not go on. */
export const passThrough = async (
  ask: (request: Content) => Promise<unknown>,
  hook: Hook,
  text: string,
): Promise<Passage> => {
  const request = { jsonrpc: '2.0', id: `gateway-${hook.name}`, method: hook.method, ...hook.put(text) }
  const reply = await ask(request)
  const result = at(reply, 'result')
  if (at(reply, 'jsonrpc') !== '2.0' || at(reply, 'id') !== request.id || typeof at(result, 'message') !== 'string')
    return 'blocked'
  if (at(result, 'decision') === 'allow') return { goesOn: text }
  const modified = at(result, 'modifiedRequest')
  if (
    at(result, 'decision') !== 'modify' ||
    at(modified, 'method') !== hook.method ||
    at(modified, 'id') !== request.id
  )
    return 'blocked'
  const taken = hook.take(modified as Content)
  return typeof taken === 'string' ? { goesOn: taken } : 'blocked'
}
