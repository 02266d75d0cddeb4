import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program to start, with all that it is given: it inherits nothing. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A server's answer to `tools/list`, all pages of it, or why there is none. */
export type Listed =
  | { readonly outcome: 'tools'; readonly tools: readonly unknown[] }
  | { readonly outcome: 'none'; readonly why: string }

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: { readonly tools?: unknown; readonly nextCursor?: unknown }
  readonly error?: { readonly message?: unknown }
}

const MOST_PAGES = 50
const LONGEST_LINE = 16_000_000
const PROTOCOL = '2025-06-18'

/** Ends the program with everything it started: it leads a process group of its own. */
const end = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

const parsed = (line: string): Message | undefined => {
  if (line.length > LONGEST_LINE || !line.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Message
  } catch {
    return undefined
  }
}

/** The answers of a client without capabilities to a server's own requests. */
const replyTo = (message: Message): object =>
  message.method === 'ping'
    ? { result: {} }
    : message.method === 'roots/list'
      ? { result: { roots: [] } }
      : { error: { code: -32601, message: 'Method not found' } }

/** Starts an MCP server over stdio, asks it for its tools and ends it; at the latest after `limitMs`. */
export const listTools = (program: Program, limitMs: number): Promise<Listed> =>
  new Promise((done) => {
    const { command, args, cwd, env } = program
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    const tools: unknown[] = []
    let said = ''
    let pages = 0
    let finished = false
    const finish = (listed: Listed): void => {
      if (finished) return
      finished = true
      clearTimeout(limit)
      end(child)
      done(listed)
    }
    const fail = (why: string): void => finish({ outcome: 'none', why: `${why} ${said.trim().slice(-300)}`.trim() })
    const limit = setTimeout(() => fail('no answer in time.'), limitMs)
    const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const ask = (cursor?: string): boolean =>
      send({ id: 2 + pages, method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
    const hear = (message: Message): void => {
      if (message.method !== undefined) {
        if (message.id !== undefined) send({ id: message.id, ...replyTo(message) })
        return
      }
      if (message.error !== undefined) return fail(`answered an error: ${String(message.error.message)}.`)
      if (message.id === 1) {
        send({ method: 'notifications/initialized' })
        ask()
      } else if (message.id === 2 + pages && Array.isArray(message.result?.tools)) {
        tools.push(...(message.result.tools as readonly unknown[]))
        pages++
        const { nextCursor } = message.result
        if (typeof nextCursor === 'string' && nextCursor !== '' && pages < MOST_PAGES) ask(nextCursor)
        else finish({ outcome: 'tools', tools })
      }
    }
    child.on('error', (error) => fail(error.message))
    child.on('close', (code) => fail(`ended with ${code}.`))
    child.stdin.on('error', () => undefined)
    child.stderr.on('data', (part: Buffer) => (said = (said + part.toString()).slice(-2000)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parsed(line)
      if (message !== undefined && !finished) hear(message)
    })
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'collect-tools', version: '1' } },
    })
  })
