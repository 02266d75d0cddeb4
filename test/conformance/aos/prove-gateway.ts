import { expect } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import type { Client, ClientStep } from '../../../src/client/index.ts'
import { valueAt } from '../../../src/protocol/json-pointer.ts'
import type { Json } from '../../../src/protocol/json.ts'
import type { Prover } from '../manifest.ts'
import type { Asker } from './asker.ts'
import { HOOKS, passThrough } from './gateway.ts'
import type { Passage } from './gateway.ts'

/** The same content as a step of our own client, and where its text stands. */
const OWN: {
  readonly [hook: string]: readonly [pointer: string, step: (text: string) => Omit<ClientStep, 'session'>]
} = {
  'a trigger': [
    '/detail/content/0/text',
    (text) => ({ kind: 'agentTrigger', payload: { source: 'mail', detail: { content: [{ kind: 'text', text }] } } }),
  ],
  'a message of the user': ['/text', (text) => ({ kind: 'userMessage', payload: { text } })],
  'a message of the agent': ['/text', (text) => ({ kind: 'agentMessage', payload: { text, final: true } })],
  'a call': [
    '/input/body',
    (text) => ({ kind: 'toolCallRequest', payload: { tool: { name: 'mail' }, input: { body: text } } }),
  ],
  'a result': [
    '/output',
    (text) => ({
      kind: 'toolCallResult',
      payload: { tool: { name: 'mail' }, input: {}, status: 'succeeded', output: text },
    }),
  ],
  'memory that is read': [
    '/content/0',
    (text) => ({ kind: 'memoryRetrieval', payload: { store: 'm', content: [text] } }),
  ],
  'memory that is kept': ['/content/0', (text) => ({ kind: 'memoryStore', payload: { store: 'm', content: [text] } })],
  knowledge: ['/content/0', (text) => ({ kind: 'knowledgeRetrieval', payload: { source: 'k', content: [text] } })],
  'an MCP call': [
    '/input/body',
    (text) => ({ kind: 'toolCallRequest', payload: { tool: { name: 'find', server: 'mcp' }, input: { body: text } } }),
  ],
  'an MCP result': [
    '/message/result/text',
    (text) => ({
      kind: 'mcpMessage',
      payload: { direction: 'inbound', server: 'mcp', message: { jsonrpc: '2.0', id: 3, result: { text } } },
    }),
  ],
}
const PEER_MESSAGE: (typeof OWN)[string] = [
  '/message/params/text',
  (text) => ({
    kind: 'a2aMessage',
    payload: {
      direction: 'outbound',
      peer: 'Peer',
      message: { jsonrpc: '2.0', id: 9, method: 'message/send', params: { text } },
    },
  }),
]

const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['nothing to say against', 'Open from nine to five.'],
  ['what is masked', 'Please write to ada.lovelace@analytical-engines.co.uk soon.'],
  ['what is forbidden', 'Pay with 4111 1111 1111 1111 now.'],
  ['what is masked twice', 'From ada.lovelace@analytical-engines.co.uk to charles.babbage@analytical-engines.co.uk.'],
  ['nothing', ''],
  ['odd letters', 'naïve ＡＢＣ \u0000 🛳️ \u202e'],
]

const ownPassage = async (client: Client, name: string, text: string): Promise<Passage> => {
  const [pointer, stepOf] = OWN[name] ?? PEER_MESSAGE
  const verdict = await client.decide({ ...stepOf(text), session: `own ${name}` })
  if (verdict.decision === 'deny') return 'blocked'
  const after = valueAt(verdict.payload as unknown as Json, pointer)
  return typeof after === 'string' ? { goesOn: after } : 'blocked'
}

/** A gateway that has only the standard's text comes to the same as our own client, whatever the content. */
export const proveGateway = ({ proveEach }: Prover, { ask, guard }: Asker): void => {
  proveEach(
    HOOKS.map((hook) => ({ name: `both ways for ${hook.name}`, proves: ['gateway'], hook })),
    async ({ hook }) => {
      const { url, token } = guard().running
      const client = createClient({ url, token })
      const outcomes: Passage[] = []
      for (const [what, text] of TEXTS) {
        const passage = await passThrough((request) => ask(request), hook, text)
        expect(passage, what).toEqual(await ownPassage(client, hook.name, text))
        outcomes.push(passage)
      }
      client.close()
      expect(outcomes.slice(0, 3)).toEqual([
        { goesOn: 'Open from nine to five.' },
        { goesOn: expect.stringMatching(/^Please write to \[.*\] soon\.$/) },
        'blocked',
      ])
    },
  )
}
