import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HookRun } from './hook-run.ts'
import { runHook } from './hook-run.ts'

const TOKEN = 'the token of this test'

/** What a guard answers to a hook: a status and a body. */
type Answer = readonly [status: number, body: string]

const guardServer = (answer: Answer, asked: string[]): Server =>
  createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    if (url.pathname === '/healthz') {
      const proof = createHmac('sha256', TOKEN)
        .update(url.searchParams.get('challenge') ?? '')
        .digest('hex')
      response.end(JSON.stringify({ proof }))
      return
    }
    asked.push(request.url ?? '')
    request.resume()
    request.on('end', () => response.writeHead(answer[0]).end(answer[1]))
  })

const listening = (server: Server, where: string | number): Promise<number> =>
  new Promise((resolve) => {
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    server.listen(typeof where === 'string' ? { path: where } : { port: where, host: '127.0.0.1' }, () => {
      resolve(typeof where === 'string' ? 0 : (server.address() as AddressInfo).port)
    })
  })

const socketPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sp-hook-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return join(folder, 'guard.sock')
}

const runOf = (over: Partial<HookRun>): HookRun => ({
  event: 'PreToolUse',
  socket: '/nonexistent/guard.sock',
  port: undefined,
  timeout: 3,
  gate: false,
  stdin: async () => Buffer.from('{"hook_event_name":"PreToolUse"}'),
  token: () => TOKEN,
  start: async () => ({ outcome: 'down', cause: 'this test starts none' }),
  ...over,
})

const DENY = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }

describe('a hook run', () => {
  test('prints what the guard answers', async () => {
    const socket = socketPath()
    const asked: string[] = []
    await listening(guardServer([200, '{"systemMessage":"hi"}'], asked), socket)
    expect(await runHook(runOf({ socket }))).toEqual({ systemMessage: 'hi' })
    expect(asked).toEqual(['/v1/hooks/claude-code?event=PreToolUse'])
  })

  test.each<{ name: string; answer: Answer }>([
    { name: 'an error', answer: [500, '{}'] },
    { name: 'a page', answer: [200, '<html>'] },
    { name: 'a list', answer: [200, '[]'] },
    { name: 'null', answer: [200, 'null'] },
    { name: 'nothing', answer: [200, ''] },
    { name: 'an allow with the wrong status', answer: [401, '{}'] },
  ])('$name instead of a verdict is a refusal', async ({ answer }) => {
    const socket = socketPath()
    await listening(guardServer(answer, []), socket)
    expect(await runHook(runOf({ socket }))).toMatchObject(DENY)
  })

  test.each<{ name: string; over: Partial<HookRun> }>([
    { name: 'no guard, and none can be started', over: {} },
    { name: 'input that cannot be read', over: { stdin: () => Promise.reject(new Error('EIO')) } },
    { name: 'a start that throws', over: { start: () => Promise.reject(new Error('EACCES')) } },
    { name: 'the event only in the input', over: { event: undefined } },
  ])('$name is a refusal', async ({ over }) => {
    expect(await runHook(runOf(over))).toMatchObject(DENY)
  })

  test('input that is no JSON and an event that is not named are refused in every form at once', async () => {
    const reply = await runHook(runOf({ event: undefined, stdin: async () => Buffer.from('{"hook') }))
    expect(reply).toMatchObject({ decision: 'block', continue: false })
  })

  test('a guard that does not answer in the host’s time is a refusal', async () => {
    const socket = socketPath()
    await listening(
      createServer(() => {}),
      socket,
    )
    expect(await runHook(runOf({ socket, timeout: 2 }))).toMatchObject(DENY)
  })

  test('an absent guard is started, and asked', async () => {
    const socket = socketPath()
    const start = async (): Promise<{ outcome: 'up' }> => {
      await listening(guardServer([200, '{}'], []), socket)
      return { outcome: 'up' }
    }
    expect(await runHook(runOf({ socket, start }))).toEqual({})
  })
})

describe('the port of the HTTP hooks', () => {
  const stranger = (): Server => createServer((_, response) => response.end('{}'))

  const sessionStart = async (port: number): Promise<object> => {
    const socket = socketPath()
    await listening(guardServer([200, '{}'], []), socket)
    return runHook(runOf({ event: 'SessionStart', socket, port }))
  }

  test('a session that starts on the guard’s own port is told nothing', async () => {
    expect(await sessionStart(await listening(guardServer([200, '{}'], []), 0))).toEqual({})
  })

  test('a session that starts on a stranger’s port is warned', async () => {
    const reply = await sessionStart(await listening(stranger(), 0))
    expect(reply).toMatchObject({ systemMessage: expect.stringContaining('NOT guarded') as string })
  })

  test('a prompt is refused while a stranger holds the port', async () => {
    const socket = socketPath()
    await listening(guardServer([200, '{}'], []), socket)
    const port = await listening(stranger(), 0)
    expect(await runHook(runOf({ event: 'UserPromptSubmit', socket, port, gate: true }))).toMatchObject({
      decision: 'block',
    })
  })

  test('the gate has no opinion while the guard holds the port, and sends it nothing', async () => {
    const socket = socketPath()
    const asked: string[] = []
    await listening(guardServer([200, '{"decision":"block"}'], asked), socket)
    const port = await listening(guardServer([200, '{}'], asked), 0)
    expect(await runHook(runOf({ event: 'UserPromptSubmit', socket, port, gate: true }))).toEqual({})
    expect(asked).toEqual([])
  })

  test('the gate starts a guard that is gone and asks for the prompt once more', async () => {
    let starts = 0
    const start = async (): Promise<{ outcome: 'up' }> => {
      starts++
      return { outcome: 'up' }
    }
    const reply = await runHook(runOf({ event: 'UserPromptSubmit', port: 1, gate: true, start }))
    expect(reply).toMatchObject({ decision: 'block', reason: expect.stringContaining('once more') as string })
    expect(starts).toBe(1)
  })

  test('a token that cannot be read refuses at the gate', async () => {
    const socket = socketPath()
    await listening(guardServer([200, '{}'], []), socket)
    const reply = await runHook(
      runOf({ event: 'UserPromptSubmit', socket, port: 1, gate: true, token: () => undefined }),
    )
    expect(reply).toMatchObject({ decision: 'block' })
  })
})
