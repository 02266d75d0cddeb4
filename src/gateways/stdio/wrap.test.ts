import { PassThrough } from 'node:stream'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMcpSession } from '../mcp/session.ts'
import { wrapServer } from './wrap.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}'

/** Runs a program of Node behind a session that allows everything. */
const wrapped = (program: string, command: readonly string[] = [process.execPath, '-e', program]) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const logged: string[] = []
  const log = (what: string): void => void logged.push(what)
  const [first = '', ...rest] = command
  const code = wrapServer({
    command: [first, ...rest],
    env: { PATH: process.env['PATH'] },
    input,
    output,
    log,
    session: (send) =>
      createMcpSession({
        server: 'tiny',
        decide: async () => ({ decision: 'allow', reason: '', reasonCodes: [], edits: [] }),
        send,
        log,
        makeId: () => 'id',
        after: (ms, run) => {
          const timer = setTimeout(run, ms)
          return () => clearTimeout(timer)
        },
      }),
  })
  return {
    input,
    code,
    logged,
    /** The next piece of output. */
    printed: (): Promise<string> =>
      new Promise((resolve) => output.once('data', (part: Buffer) => resolve(String(part)))),
  }
}

/** Answers each line with PONG. */
const ANSWERS = `process.stdin.on('data', () => console.log('${PONG}'))`

test('messages go through, and the end of the input ends the server with its own code', async () => {
  const run = wrapped(`${ANSWERS}; process.stdin.on('end', () => process.exit(7))`)
  run.input.write(`${PING}\n`)
  expect(await run.printed()).toBe(`${PONG}\n`)
  run.input.end()
  expect(await run.code).toBe(7)
})

test('what was sent before the end of the input still reaches the server', async () => {
  const run = wrapped(
    `let all = ''; process.stdin.on('data', (part) => (all += part)); process.stdin.on('end', () => process.exit(all.length))`,
  )
  run.input.end(`${PING}\n`)
  expect(await run.code).toBe(PING.length + 1)
})

test('a server that stays after the end of the input is ended', { timeout: 20_000 }, async () => {
  const run = wrapped(`process.on('SIGTERM', () => process.exit(9)); ${ANSWERS}; setInterval(() => {}, 1000)`)
  run.input.write(`${PING}\n`)
  await run.printed()
  run.input.end()
  expect(await run.code).toBe(9)
})

test('a server that a signal ends gives the code of that signal', async () => {
  expect(await wrapped(`process.kill(process.pid, 'SIGKILL')`).code).toBe(137)
})

test('a signal to us reaches the server', async () => {
  const run = wrapped(`process.on('SIGHUP', () => process.exit(5)); ${ANSWERS}`)
  run.input.write(`${PING}\n`)
  await run.printed()
  process.emit('SIGHUP')
  expect(await run.code).toBe(5)
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('what the server started ends with it', { timeout: 20_000 }, async () => {
  const run = wrapped(
    `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
     console.log(JSON.stringify({ jsonrpc: '2.0', method: 'pid', params: { pid: child.pid } }));
     process.stdin.on('end', () => process.exit(0)).resume()`,
  )
  const { params } = JSON.parse(await run.printed()) as { readonly params: { readonly pid: number } }
  expect(isAlive(params.pid)).toBe(true)
  run.input.end()
  await run.code
  while (isAlive(params.pid)) await sleep(10)
})

test('a program that is not there', async () => {
  const run = wrapped('', ['/nowhere/server'])
  expect(await run.code).toBe(127)
  expect(run.logged).toEqual(['the server could not be started'])
})

test('lines of the server that are no messages are not forwarded', async () => {
  const run = wrapped(`console.log('Listening.'); ${ANSWERS}`)
  run.input.write(`${PING}\n`)
  expect(await run.printed()).toBe(`${PONG}\n`)
  run.input.end()
  await run.code
  expect(run.logged).toEqual(['a line of the server that is not JSON'])
})
