import type { Side } from './message.ts'

/** How a refusal reads for whoever waits for the answer. */
export type Denial = 'tool-error' | 'error' | 'declined' | 'no-roots' | 'user-rejected'

/** One method of MCP, 2024-10-07 to 2026-07-28. */
export interface MethodRow {
  readonly method: string
  readonly from: Side | 'both'
  /** Default: an error with a code of our own. */
  readonly denial?: Denial
  /**
   * Texts that may be changed, as pointers into the request's or notification's params and the answer's result: `*` is
   * one token, `**` any number. Where a change falls elsewhere (versions, cursors, states), the message is denied.
   */
  readonly params?: readonly string[]
  readonly result?: readonly string[]
  /** Name of a list in the result: where all of it is denied, its elements are decided one by one. */
  readonly each?: string
  /** The request names a task; its answer belongs to the call that began the task. */
  readonly ofTask?: boolean
}

const MODEL_TEXTS = [
  '/content/**',
  '/structuredContent/**',
  '/toolResult/**',
  '/inputRequests/*/params/**',
  '/task/statusMessage',
] as const
const ANSWERS = '/inputResponses/**'

/** Every method, one a row. A method without a row is a message of which nothing may be changed. */
const ROWS: readonly MethodRow[] = [
  { method: 'initialize', from: 'client', result: ['/instructions', '/serverInfo/title', '/serverInfo/description'] },
  { method: 'server/discover', from: 'client', result: ['/instructions', '/_meta/**'] },
  { method: 'ping', from: 'both' },
  {
    method: 'tools/list',
    from: 'client',
    result: [
      '/tools/*/description',
      '/tools/*/title',
      '/tools/*/annotations/title',
      '/tools/*/inputSchema/**',
      '/tools/*/outputSchema/**',
    ],
    each: 'tools',
  },
  {
    method: 'tools/call',
    from: 'client',
    denial: 'tool-error',
    params: ['/arguments', '/arguments/**', ANSWERS],
    result: MODEL_TEXTS,
  },
  {
    method: 'resources/list',
    from: 'client',
    result: ['/resources/*/name', '/resources/*/title', '/resources/*/description'],
    each: 'resources',
  },
  {
    method: 'resources/templates/list',
    from: 'client',
    result: ['/resourceTemplates/*/name', '/resourceTemplates/*/title', '/resourceTemplates/*/description'],
    each: 'resourceTemplates',
  },
  {
    method: 'resources/read',
    from: 'client',
    params: [ANSWERS],
    result: ['/contents/*/text', '/contents/*/blob', '/inputRequests/*/params/**'],
  },
  { method: 'resources/subscribe', from: 'client' },
  { method: 'resources/unsubscribe', from: 'client' },
  {
    method: 'prompts/list',
    from: 'client',
    result: ['/prompts/*/title', '/prompts/*/description', '/prompts/*/arguments/*/description'],
    each: 'prompts',
  },
  {
    method: 'prompts/get',
    from: 'client',
    params: ['/arguments/**', ANSWERS],
    result: ['/description', '/messages/*/content/**', '/inputRequests/*/params/**'],
  },
  {
    method: 'completion/complete',
    from: 'client',
    params: ['/argument/value', '/context/arguments/*'],
    result: ['/completion/values/*'],
  },
  { method: 'logging/setLevel', from: 'client' },
  { method: 'subscriptions/listen', from: 'client' },
  {
    method: 'tasks/get',
    from: 'both',
    denial: 'error',
    result: [
      '/statusMessage',
      '/error/message',
      '/result/content/**',
      '/result/structuredContent/**',
      '/inputRequests/*/params/**',
    ],
    ofTask: true,
  },
  { method: 'tasks/result', from: 'both', denial: 'tool-error', result: MODEL_TEXTS, ofTask: true },
  { method: 'tasks/list', from: 'both', result: ['/tasks/*/statusMessage'] },
  { method: 'tasks/cancel', from: 'both', result: ['/statusMessage'] },
  { method: 'tasks/update', from: 'client', params: [ANSWERS] },
  {
    method: 'sampling/createMessage',
    from: 'server',
    denial: 'user-rejected',
    params: ['/messages/*/content/**', '/systemPrompt', '/tools/*/description'],
    result: ['/content/**'],
  },
  {
    method: 'elicitation/create',
    from: 'server',
    denial: 'declined',
    params: ['/message', '/requestedSchema/properties/*/title', '/requestedSchema/properties/*/description'],
    result: ['/content/**'],
  },
  { method: 'roots/list', from: 'server', denial: 'no-roots', result: ['/roots/*/name'] },
  { method: 'notifications/initialized', from: 'client' },
  { method: 'notifications/cancelled', from: 'both', params: ['/reason'] },
  { method: 'notifications/progress', from: 'both', params: ['/message'] },
  { method: 'notifications/message', from: 'server', params: ['/data', '/data/**'] },
  { method: 'notifications/tools/list_changed', from: 'server' },
  { method: 'notifications/resources/list_changed', from: 'server' },
  { method: 'notifications/resources/updated', from: 'server' },
  { method: 'notifications/prompts/list_changed', from: 'server' },
  { method: 'notifications/roots/list_changed', from: 'client' },
  { method: 'notifications/elicitation/complete', from: 'server' },
  { method: 'notifications/tasks/status', from: 'both', params: ['/statusMessage'], ofTask: true },
  {
    method: 'notifications/tasks',
    from: 'server',
    params: [
      '/statusMessage',
      '/error/message',
      '/result/content/**',
      '/result/structuredContent/**',
      '/inputRequests/*/params/**',
    ],
    ofTask: true,
  },
  { method: 'notifications/subscriptions/acknowledged', from: 'server' },
]

const BY_METHOD: ReadonlyMap<string, MethodRow> = new Map(ROWS.map((row) => [row.method, row]))

/** The row of a method sent by a side; a method that this side never sends has none. */
export const methodRow = (method: string, from: Side): MethodRow | undefined => {
  const row = BY_METHOD.get(method)
  return row !== undefined && (row.from === 'both' || row.from === from) ? row : undefined
}

/** Every method with a row. */
export const METHODS: readonly string[] = [...BY_METHOD.keys()]

const matches = (pattern: readonly string[], tokens: readonly string[]): boolean => {
  for (const [at, part] of pattern.entries()) {
    if (part === '**') return tokens.length > at
    if (at >= tokens.length || (part !== '*' && part !== tokens[at])) return false
  }
  return pattern.length === tokens.length
}

/** Texts of an error, whatever it answers. */
const ERROR_TEXTS = ['/message', '/data', '/data/**']

/** Whether a pointer into a message is a text that may be changed. */
export const isEditable = (row: MethodRow | undefined, pointer: string): boolean => {
  const [, part = '', ...tokens] = pointer.split('/')
  const patterns =
    part === 'error' ? ERROR_TEXTS : part === 'params' ? row?.params : part === 'result' ? row?.result : undefined
  return (patterns ?? []).some((pattern) => matches(pattern.split('/').slice(1), tokens))
}
