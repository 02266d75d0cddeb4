import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startAskedGuard } from '../../test/conformance/aos/guard.ts'
import type { AskedGuard } from '../../test/conformance/aos/guard.ts'
import { createClient } from './index.ts'
import type { Client } from './index.ts'

let guard: AskedGuard
let client: Client
beforeAll(async () => {
  guard = await startAskedGuard()
  client = createClient({ url: guard.running.url, token: guard.running.token })
})
afterAll(async () => {
  client.close()
  await guard.stop()
})

const bash = (command: string) => ({
  kind: 'toolCallRequest' as const,
  session: 's',
  payload: { tool: { name: 'Bash' }, input: { command } },
})

describe('a client of a real guard', () => {
  test('is told what may happen, and gets the step back to go on with', async () => {
    expect(await client.decide(bash('ls'))).toMatchObject({ decision: 'allow', payload: { input: { command: 'ls' } } })
  })

  test('is told what may not, by which rule and why', async () => {
    expect(await client.decide(bash('rm -rf ~'))).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('home'),
      policies: expect.arrayContaining([expect.objectContaining({ id: 'delete-home' })]),
    })
  })

  test('gets a masked result back', async () => {
    const secret = ['AKIA', 'Z7KD3XW2MNPQ6RTB'].join('')
    const verdict = await client.decide({
      kind: 'toolCallResult',
      session: 's',
      payload: { tool: { name: 'Read' }, input: {}, status: 'succeeded', output: `key ${secret} end` },
    })
    expect(verdict).toMatchObject({ decision: 'modify', payload: { output: expect.stringMatching(/^key .* end$/) } })
    expect(JSON.stringify(verdict)).not.toContain(secret)
  })

  test('needs no token over the socket', async () => {
    const local = createClient({ socket: guard.running.socket })
    onTestFinished(() => {
      local.close()
    })
    expect((await local.decide(bash('ls'))).decision).toBe('allow')
  })

  test.each([
    { name: 'a wrong token', options: () => ({ url: guard.running.url, token: 'wrong' }), failed: 'invalid' },
    { name: 'no guard there', options: () => ({ url: 'http://127.0.0.1:9' }), failed: 'unreachable' },
  ])('is denied when there is no verdict: $name', async ({ options, failed }) => {
    expect(await createClient(options()).decide(bash('ls'))).toMatchObject({
      decision: 'deny',
      failed,
      reason: expect.stringMatching(/\w/),
    })
  })

  test('is denied when the guard is silent, and when the caller gives up', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve)
    })
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    expect(await createClient({ url, deadlineMs: 50 }).decide(bash('ls'))).toMatchObject({ failed: 'timeout' })
    expect(await createClient({ url }).decide(bash('ls'), AbortSignal.timeout(50))).toMatchObject({ failed: 'timeout' })
  })

  test('is denied when the step cannot be sent at all', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const payload = { tool: { name: 'Bash' }, input: cyclic as never }
    expect(await client.decide({ kind: 'toolCallRequest', session: 's', payload })).toMatchObject({
      decision: 'deny',
      failed: 'invalid',
    })
  })

  test('has to be told where the guard is', () => {
    expect(() => createClient({})).toThrow('url')
  })
})
