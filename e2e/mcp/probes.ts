import { onTestFinished } from 'vitest'
import type { Answers, Body, McpClient } from './peers.ts'

/** Agrees to every question, in the form that it has. */
export const AGREES: Answers = {
  elicit: ({ message }) => ({
    action: 'accept',
    content: String(message).startsWith('Sallyport') ? { allow: true } : { yes: true, name: 'Ann' },
  }),
}

type Call = (client: McpClient) => Promise<Body>

export const connected = async (client: Promise<McpClient>): Promise<McpClient> => {
  const made = await client
  onTestFinished(() => made.close())
  return made
}

/** What came of a call: its result, or its error. */
export const outcome = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await call()
  } catch (error) {
    return { rejected: String(error), code: (error as { readonly code?: unknown }).code }
  }
}

/** One thing that a client does. */
export type Probe = (client: McpClient) => Promise<unknown>
export const tool =
  (name: string, input: Body = {}, ...more: readonly unknown[]): Call =>
  (client) =>
    client.callTool({ name, arguments: input }, ...more)

/** Everything that a client of the old era does with a server. */
export const LEGACY: Readonly<Record<string, Probe>> = {
  tools: (client) => client.listTools(),
  echo: tool('echo', { message: 'hello' }),
  structured: tool('get-structured-content', { location: 'New York' }),
  sampling: tool('trigger-sampling-request', { prompt: 'hi', maxTokens: 10 }),
  roots: tool('get-roots-list'),
  image: tool('get-tiny-image'),
  'wrong arguments': tool('get-sum', { a: 'x' }),
  'unknown tool': tool('nope'),
  resources: (client) => client.listResources(),
  read: (client) => client.readResource({ uri: 'demo://resource/static/document/features.md' }),
  'read what is not there': (client) => client.readResource({ uri: 'demo://nope' }),
  prompts: (client) => client.listPrompts(),
  prompt: (client) => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Rome' } }),
  ping: (client) => client.ping(),
}

export const outcomes = async (client: McpClient, probes: Readonly<Record<string, Probe>>) => {
  const all: Record<string, unknown> = {}
  for (const [name, probe] of Object.entries(probes)) all[name] = await outcome(() => probe(client))
  return all
}
