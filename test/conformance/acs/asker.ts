import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startAskedGuard } from '../aos/guard.ts'
import type { AskedGuard } from '../aos/guard.ts'
import { HELLO, keyOf, requestOf, signatureFor } from './client.ts'
import type { Twist } from './client.ts'

export const SECRET = 'the secret of this deployment'

// What came back is looked into freely: every look is an assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = Record<string, any>

/** A session after its handshake. */
export interface Session {
  readonly session: string
  readonly key: Buffer
  readonly send: (
    method: string,
    payload: Record<string, unknown>,
    twist?: Twist,
  ) => Promise<{ readonly request: Reply; readonly reply: Reply }>
  readonly greeting: { readonly request: Reply; readonly reply: Reply }
}

/** A guard to ask, for the tests of one file. */
export interface Asker {
  readonly ask: (body: unknown, query?: string) => Promise<Reply>
  readonly openSession: (query?: string, hello?: Record<string, unknown>) => Promise<Session>
  readonly guard: () => AskedGuard
  /** All answers of the guard. */
  readonly said: readonly Reply[]
}

/** A guardian that puts off calls of one tool. */
const oracleAnswer = (text: string): string => {
  const { id, method, params } = JSON.parse(text) as Reply
  const payload = method === 'handshake/hello' ? { payload: { methods_evaluated: ['steps/toolCallRequest'] } } : {}
  const put = method === 'steps/toolCallRequest' && params.payload.tool.name === 'Oracle'
  const result = {
    type: 'final',
    acs_version: '0.1.0',
    request_id: params.request_id,
    decision: put ? 'defer' : 'allow',
    reasoning: 'Not known yet.',
    ...payload,
  }
  const value = signatureFor({ jsonrpc: '2.0', id, result }, keyOf(SECRET, params.metadata.session_id as string))
  const signature = { algorithm: 'HMAC-SHA256', value, key_id: 'default' }
  return JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, signature } })
}

const startOracle = async (): Promise<Server> => {
  const server = createServer((message, response) => {
    let text = ''
    message.on('data', (chunk: Buffer) => (text += chunk.toString()))
    message.on('end', () => response.end(oracleAnswer(text)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}

/** Starts a guard before the tests of a file, with a guardian beside it, and ends them behind. */
export const openAsker = (): Asker => {
  let running: { readonly guard: AskedGuard; readonly oracle: Server } | undefined
  const guard = (): AskedGuard => {
    if (running === undefined) throw new Error('the guard is not up yet')
    return running.guard
  }
  const said: Reply[] = []
  beforeAll(async () => {
    const oracle = await startOracle()
    const { port } = oracle.address() as AddressInfo
    const secretFile = join(await mkdtemp(join(tmpdir(), 'sallyport-acs-')), 'secret')
    await writeFile(secretFile, SECRET)
    const config = `guardians: [{ id: oracle, protocol: acs, url: "http://127.0.0.1:${port}/", secretFile: ${secretFile} }]\n`
    running = { oracle, guard: await startAskedGuard({ SALLYPORT_ACS_SECRET: SECRET }, config) }
  })
  afterAll(async () => {
    await running?.guard.stop()
    running?.oracle.close()
  })
  const ask = async (body: unknown, query = ''): Promise<Reply> => {
    const reply = (await guard().ask(body, query)) as Reply
    said.push(...(Array.isArray(reply) ? (reply as Reply[]) : [reply]))
    return reply
  }
  return {
    guard,
    said,
    ask,
    async openSession(query = '', hello = HELLO) {
      const session = randomUUID()
      const send = async (method: string, payload: Record<string, unknown>, twist: Twist = {}) => {
        const request = requestOf(SECRET, session, method, payload, twist)
        return { request, reply: await ask(request, query) }
      }
      return { session, key: keyOf(SECRET, session), send, greeting: await send('handshake/hello', hello) }
    },
  }
}

/** A call of a shell. */
export const bash = (command: string) => ({ tool: { name: 'Bash' }, arguments: { command: { value: command } } })
