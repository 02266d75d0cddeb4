import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LOOKS_LIVE, tailOf } from '../claude-code/fixtures.ts'
import { freePort } from '../free-port.ts'
import { dual, everything, legacyClient, modernClient } from './peers.ts'
import type { Answers, Body, McpClient } from './peers.ts'
import { AGREES, connected, LEGACY, outcome, outcomes, tool } from './probes.ts'
import type { Probe } from './probes.ts'
import { makeMcpStage, startProgram } from './stage.ts'
import type { McpStage } from './stage.ts'

const SECRET = LOOKS_LIVE.githubToken

/** Starts `server-everything`, with sessions and streams that can be resumed. */
const startEverything = async ({ place }: McpStage): Promise<URL> => {
  const { command, args } = everything()
  const port = await freePort()
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  await startProgram({ command, args: [...args.slice(0, -1), 'streamableHttp'] }, place, { PORT: String(port) })
  for (let isUp = false; !isUp; await sleep(50))
    isUp = await fetch(url).then(
      () => true,
      () => false,
    )
  return url
}

/** Starts the server of both eras, without sessions. */
const startDual = async ({ place }: McpStage, leaked = 'nothing'): Promise<URL> => {
  const { command, args } = dual()
  const port = await startProgram({ command, args: [...args, leaked] }, place, { HTTP: '1' })
  return new URL(`http://127.0.0.1:${port}/mcp`)
}

describe('SDK v1 and server-everything, with sessions', () => {
  const client = (url: URL, { place }: McpStage, answers: Answers = AGREES) =>
    connected(legacyClient(url, place, answers))

  test('a client gets the same through the gateway as directly', async () => {
    const stage = await makeMcpStage()
    const url = await startEverything(stage)
    const direct = await outcomes(await client(url, stage), LEGACY)
    expect(await outcomes(await client(await stage.proxied(url), stage), LEGACY)).toEqual(direct)
    expect(JSON.stringify(direct)).toContain('sampled words')
  })

  test('progress arrives, a cancelled call ends, and what would do harm is denied', async () => {
    const stage = await makeMcpStage()
    const through = await client(await stage.proxied(await startEverything(stage)), stage)
    const steps: unknown[] = []
    const onprogress = ({ progress }: Body): void => void steps.push(progress)
    await tool('trigger-long-running-operation', { duration: 1, steps: 2 }, undefined, { onprogress })(through)
    expect(steps).toEqual([1, 2])
    const { signal } = { signal: AbortSignal.timeout(200) }
    const slow = { duration: 30, steps: 30 }
    await expect(tool('trigger-long-running-operation', slow, undefined, { signal })(through)).rejects.toThrow()
    const denied = await tool('echo', { message: 'x', command: 'rm -rf ~' })(through)
    expect(denied).toMatchObject({ isError: true, _meta: { 'dev.sallyport/verdict': { decision: 'deny' } } })
    expect(await tool('echo', { message: 'still here' })(through)).toMatchObject({
      content: [{ text: 'Echo: still here' }],
    })
    expect(await stage.trace()).toContain('delete-home')
  })

  test('a question reaches the person of the client', async () => {
    const stage = await makeMcpStage(
      `@id("ask-echo") @reason("Echo needs a person.") @approval("human")
       forbid (principal, action == Action::"toolCallRequest", resource) when { resource.name == "echo" };`,
    )
    const url = await stage.proxied(await startEverything(stage))
    const echo = tool('echo', { message: 'hello' })
    expect(await echo(await client(url, stage))).toEqual({ content: [{ type: 'text', text: 'Echo: hello' }] })
    const refused = await client(url, stage, { elicit: () => ({ action: 'decline' }) })
    expect(await echo(refused)).toMatchObject({ isError: true })
    const denied = JSON.stringify(await echo(await client(url, stage, {})))
    expect(denied).toContain('Echo needs a person.')
    expect(denied).toContain('approval')
  })

  test('without a guard nothing goes through, and a lost server is an error', async () => {
    const stage = await makeMcpStage()
    const through = await client(await stage.proxied(await startEverything(stage)), stage)
    stage.guard.pause()
    const held = outcome(() => tool('echo', { message: 'x' }, undefined, { timeout: 1_500 })(through))
    expect(JSON.stringify(await held)).toContain('rejected')
    stage.guard.resume()
    const nowhere = await stage.proxied(new URL(`http://127.0.0.1:${await freePort()}/mcp`))
    await expect(client(nowhere, stage)).rejects.toThrow('cannot be reached')
  })
})

describe.each(['auto', 'legacy'] as const)('SDK v2, both sides, without sessions, %s', (mode) => {
  const client = (url: URL, { place }: McpStage, answers: Answers = AGREES): Promise<McpClient> =>
    connected(modernClient(url, place, answers, mode))

  const PROBES: Readonly<Record<string, Probe>> = {
    tools: (one) => one.listTools(),
    say: tool('say', { words: 'hello' }),
    leak: tool('leak'),
    deploy: tool('deploy', { target: 'test' }),
    region: tool('region', { region: 'eu-wést' }),
    unknown: tool('nope'),
    wrong: tool('say', {}),
  }

  test('a client gets the same through the gateway as directly', async () => {
    const stage = await makeMcpStage()
    const url = await startDual(stage)
    const direct = await outcomes(await client(url, stage), PROBES)
    expect(await outcomes(await client(await stage.proxied(url), stage), PROBES)).toEqual(direct)
    if (mode === 'auto') expect(JSON.stringify(direct['deploy'])).toContain('deployed to test: accept')
  })

  test('a denial is a result, and a secret is masked in both forms of a result', async () => {
    const stage = await makeMcpStage()
    const through = await client(await stage.proxied(await startDual(stage, `the token is ${SECRET} here`)), stage)
    expect(await tool('say', { words: 'x', command: 'rm -rf ~' })(through)).toMatchObject({ isError: true })
    await through.listTools()
    const leaked = await tool('leak')(through)
    expect(leaked['isError']).not.toBe(true)
    expect(leaked).toMatchObject({ structuredContent: { note: expect.stringContaining('the token is') as string } })
    expect(JSON.stringify(leaked)).not.toContain(tailOf(SECRET))
    expect(await stage.trace()).not.toContain(tailOf(SECRET))
  })
})

describe('SDK v2, newest era', () => {
  const client = (url: URL, { place }: McpStage, answers: Answers = AGREES): Promise<McpClient> =>
    connected(modernClient(url, place, answers))

  test('a client that gives up ends the call at the server', async () => {
    const stage = await makeMcpStage()
    const through = await client(await stage.proxied(await startDual(stage)), stage)
    const { signal } = { signal: AbortSignal.timeout(300) }
    await expect(tool('slow', {}, { signal })(through)).rejects.toThrow()
    const count = async (): Promise<string> => JSON.stringify(await tool('cancelled')(through))
    while (!(await count()).includes('"1"')) await sleep(50)
  })

  test('a question reaches the person of the client', async () => {
    const stage = await makeMcpStage(
      `@id("ask-say") @reason("It needs a person.") @approval("human")
     forbid (principal, action == Action::"toolCallRequest", resource) when { resource.name == "say" };`,
    )
    const url = await stage.proxied(await startDual(stage))
    const say = tool('say', { words: 'hello' })
    expect(await say(await client(url, stage))).toMatchObject({ content: [{ type: 'text', text: 'hello' }] })
    let asked = 0
    const elicit = (): Body => ({ action: ++asked > 0 ? 'cancel' : 'accept' })
    expect(await say(await client(url, stage, { elicit }))).toMatchObject({ isError: true })
    expect(asked).toBe(1)
  })
})

test('a page of another origin, and a name that points here, are refused', async () => {
  const stage = await makeMcpStage()
  const url = await stage.proxied(await startDual(stage))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = (more: Readonly<Record<string, string>>) =>
    fetch(url, { method: 'POST', body, headers: { ...headers, ...more } })
  expect((await post({})).status).toBe(200)
  expect((await post({ origin: 'http://evil.example' })).status).toBe(403)
})
