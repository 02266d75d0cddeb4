import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { createLineReader } from '../frames/lines.ts'
import type { McpSession } from '../mcp/session.ts'
import type { Side } from '../mcp/message.ts'

/** A server to be wrapped, and the client's end of it. */
export interface WrapOptions {
  readonly command: readonly [string, ...string[]]
  readonly env: NodeJS.ProcessEnv
  readonly input: Readable
  readonly output: Writable
  /** Makes the session between both; `send` writes one message. */
  readonly session: (send: (to: Side, text: string) => void) => McpSession
  readonly log: (what: string, detail?: string) => void
}

/** Bytes of one message. */
const LONGEST_LINE = 16 * 1024 * 1024
/** Messages under decision above which nothing more is read. */
const MOST_OPEN = 1_000
/** Milliseconds from the end of the input to SIGTERM, and from there to SIGKILL: some servers stay. */
const LEAVE_MS = 2_000
const KILL_MS = 2_000
const RECHECK_MS = 5
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const NOT_FOUND = 127

/** Signals the server and what it started, such as the program behind `npx`. */
const signalTo = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has ended.
  }
}

/** Reads a stream into the session; stops while its other end or the guard cannot take more. */
const pump = (from: Readable, side: Side, session: McpSession, isFull: () => boolean): void => {
  const reader = createLineReader(LONGEST_LINE)
  const resume = (): void => {
    if (isFull()) setTimeout(resume, RECHECK_MS)
    else from.resume()
  }
  from.on('data', (chunk: Buffer) => {
    for (const line of reader.take(chunk)) void session.receive(side, line)
    if (!isFull()) return
    from.pause()
    resume()
  })
}

/** The code with which a process ends for a child that has ended. */
const codeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0))

/**
 * Runs a server of MCP over stdio behind a session, until it ends; resolves with the exit code to end with. Its standard
 * error is ours.
 */
export const wrapServer = ({ command, env, input, output, session: make, log }: WrapOptions): Promise<number> =>
  new Promise((resolve) => {
    const [program, ...args] = command
    // A group of its own: whatever the server starts ends with it.
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env, detached: true })
    const streams: { readonly [S in Side]: Writable } = { client: output, server: child.stdin }
    const session = make((to, text) => {
      if (streams[to].writable) streams[to].write(`${text}\n`)
    })
    const isFull = (to: Side): boolean =>
      session.open() > MOST_OPEN || (streams[to].writable && streams[to].writableNeedDrain)
    const timers: NodeJS.Timeout[] = []
    const leave = (): void => {
      void session.idle().then(() => child.stdin.end())
      timers.push(
        setTimeout(() => signalTo(child, 'SIGTERM'), LEAVE_MS),
        setTimeout(() => signalTo(child, 'SIGKILL'), LEAVE_MS + KILL_MS),
      )
    }
    const passOn = SIGNALS.map((signal) => {
      const handler = (): void => signalTo(child, signal)
      process.on(signal, handler)
      return () => process.off(signal, handler)
    })
    const killNow = (): void => signalTo(child, 'SIGKILL')
    process.once('exit', killNow)
    for (const stream of [child.stdin, output]) stream.on('error', () => undefined)
    output.on('error', leave)
    child.on('error', (error) => {
      log('the server could not be started', error.message)
      resolve(NOT_FOUND)
    })
    child.on('close', (code, signal) => {
      for (const undo of passOn) undo()
      for (const timer of timers) clearTimeout(timer)
      process.off('exit', killNow)
      // What the server started and left behind.
      signalTo(child, 'SIGKILL')
      void session.idle().then(() => resolve(codeOf(code, signal)))
    })
    pump(input, 'client', session, () => isFull('server'))
    pump(child.stdout, 'server', session, () => isFull('client'))
    input.on('end', leave)
  })
