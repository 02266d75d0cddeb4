import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LOOKS_LIVE, tailOf } from '../claude-code/fixtures.ts'
import { runProgram } from '../run-program.ts'
import { dual, everything, filesystem, legacyClient, modernClient } from './peers.ts'
import type { Answers, Body, ServerCommand } from './peers.ts'
import { AGREES, connected, LEGACY, outcome, outcomes, tool } from './probes.ts'
import type { Probe } from './probes.ts'
import { makeMcpStage } from './stage.ts'
import type { McpStage } from './stage.ts'

const SECRET = LOOKS_LIVE.githubToken

describe('SDK v1 and server-everything', () => {
  const client = (server: ServerCommand, { place }: McpStage, answers: Answers = AGREES) =>
    connected(legacyClient(server, place, answers))

  test('a client gets the same through the gateway as directly', async () => {
    const stage = await makeMcpStage()
    const direct = await outcomes(await client(everything(), stage), LEGACY)
    expect(await outcomes(await client(stage.wrapped(everything()), stage), LEGACY)).toEqual(direct)
    expect(JSON.stringify(direct)).toContain('sampled words')
  })

  test('progress arrives, and a cancelled call ends', async () => {
    const stage = await makeMcpStage()
    const through = await client(stage.wrapped(everything()), stage)
    const steps: unknown[] = []
    const onprogress = ({ progress }: Body): void => void steps.push(progress)
    const long = { duration: 1, steps: 2 }
    await tool('trigger-long-running-operation', long, undefined, { onprogress })(through)
    // SDK v1 loses progress that it reads in one piece with the result; session.test.ts has the order.
    expect(steps[0]).toBe(1)
    const { signal } = { signal: AbortSignal.timeout(200) }
    const slow = { duration: 30, steps: 30 }
    await expect(tool('trigger-long-running-operation', slow, undefined, { signal })(through)).rejects.toThrow()
    expect(await outcome(() => tool('echo', { message: 'still here' })(through))).toMatchObject({
      content: [{ text: 'Echo: still here' }],
    })
  })

  test('what would do harm is denied, and the trace has it', async () => {
    const stage = await makeMcpStage()
    const through = await client(stage.wrapped(everything()), stage)
    const denied = await tool('echo', { message: 'x', command: 'rm -rf ~' })(through)
    expect(denied).toMatchObject({ isError: true, _meta: { 'dev.sallyport/verdict': { decision: 'deny' } } })
    expect(JSON.stringify(denied['_meta'])).toContain('delete-home')
    await through.close()
    expect(await stage.trace()).toContain('delete-home')
  })

  test('a secret in a result is masked for the client and in the trace', async () => {
    const stage = await makeMcpStage()
    const through = await client(stage.wrapped(everything()), stage)
    const stood = await tool('echo', { message: 'nothing' })(through)
    expect(stood).toMatchObject({ content: [{ text: 'Echo: nothing' }] })
    await through.close()
    const folder = stage.world.project
    await stage.world.write(join(folder, 'notes.txt'), `before\nthe token is ${SECRET} here\nafter\n`)
    const files = await client(stage.wrapped(filesystem(folder)), stage)
    const read = JSON.stringify(await tool('read_text_file', { path: join(folder, 'notes.txt') })(files))
    expect(read).toContain('the token is')
    expect(read).not.toContain(tailOf(SECRET))
    await files.close()
    const trace = await stage.trace()
    expect(trace).toContain('read_text_file')
    expect(trace).not.toContain(tailOf(SECRET))
  })

  const ASK = `@id("ask-echo") @reason("Echo needs a person.") @approval("human")
    forbid (principal, action == Action::"toolCallRequest", resource) when { resource.name == "echo" };`

  test('a question reaches the person of the client', async () => {
    const stage = await makeMcpStage(ASK)
    const echo = tool('echo', { message: 'hello' })
    const agreed = await client(stage.wrapped(everything()), stage)
    expect(await echo(agreed)).toEqual({ content: [{ type: 'text', text: 'Echo: hello' }] })
    const refused = await client(stage.wrapped(everything()), stage, { elicit: () => ({ action: 'decline' }) })
    expect(await echo(refused)).toMatchObject({ isError: true })
    const nobody = await client(stage.wrapped(everything()), stage, {})
    const denied = JSON.stringify(await echo(nobody))
    expect(denied).toContain('Echo needs a person.')
    expect(denied).toContain('approval')
  })

  test('without a guard nothing goes through, and a new guard is started', async () => {
    const stage = await makeMcpStage()
    const through = await client(stage.wrapped(everything()), stage)
    stage.guard.pause()
    const held = outcome(() => tool('echo', { message: 'x' }, undefined, { timeout: 1_500 })(through))
    expect(JSON.stringify(await held)).toContain('rejected')
    stage.guard.resume()
    await stage.guard.kill()
    expect(await tool('echo', { message: 'again' })(through)).toMatchObject({ content: [{ text: 'Echo: again' }] })
  })
})

describe.each(['auto', 'legacy'] as const)('SDK v2, both sides, %s', (mode) => {
  const client = (server: ServerCommand, { place }: McpStage, answers: Answers = AGREES) =>
    connected(modernClient(server, place, answers, mode))

  const PROBES: Readonly<Record<string, Probe>> = {
    tools: (one) => one.listTools(),
    say: tool('say', { words: 'hello' }),
    leak: tool('leak'),
    deploy: tool('deploy', { target: 'test' }),
    unknown: tool('nope'),
    wrong: tool('say', {}),
  }

  test('a client gets the same through the gateway as directly', async () => {
    const stage = await makeMcpStage()
    const direct = await outcomes(await client(dual(), stage), PROBES)
    expect(await outcomes(await client(stage.wrapped(dual()), stage), PROBES)).toEqual(direct)
    expect(JSON.stringify(direct['deploy'])).toContain('deployed to test: accept')
  })

  test('a denial is a result, and a secret is masked in both forms of a result', async () => {
    const stage = await makeMcpStage()
    const { command, args } = dual()
    const server = { command, args: [...args, `the token is ${SECRET} here`] }
    const through = await client(stage.wrapped(server), stage)
    expect(await tool('say', { words: 'x', command: 'rm -rf ~' })(through)).toMatchObject({ isError: true })
    await through.listTools()
    const leaked = await tool('leak')(through)
    expect(leaked['isError']).not.toBe(true)
    expect(leaked).toMatchObject({ structuredContent: { note: expect.stringContaining('the token is') as string } })
    expect(JSON.stringify(leaked)).not.toContain(tailOf(SECRET))
  })

  test('a tool that turns hostile stays for the client as it was', async () => {
    const stage = await makeMcpStage()
    const saysOf = async (server: ServerCommand) => {
      const one = await client(server, stage)
      const seen = async () => JSON.stringify((await one.listTools()).tools.find(({ name }) => name === 'say'))
      const before = await seen()
      await tool('turn')(one)
      const after = await seen()
      return { before, after, said: await tool('say', { words: 'hello' })(one) }
    }
    const direct = await saysOf(dual())
    expect(direct.after).toContain('id_rsa')
    const through = await saysOf(stage.wrapped(dual()))
    expect(through.before).toBe(direct.before)
    expect(through.after).toBe(through.before)
    expect(through.said).toEqual(direct.said)
  })

  test('a question reaches the person of the client', async () => {
    const stage = await makeMcpStage(
      `@id("ask-say") @reason("It needs a person.") @approval("human")
       forbid (principal, action == Action::"toolCallRequest", resource) when { resource.name == "say" };`,
    )
    const say = tool('say', { words: 'hello' })
    const agreed = await client(stage.wrapped(dual()), stage)
    expect(await say(agreed)).toMatchObject({ content: [{ type: 'text', text: 'hello' }] })
    let asked = 0
    const elicit = (): Body => ({ action: ++asked > 0 ? 'cancel' : 'accept' })
    const refused = await client(stage.wrapped(dual()), stage, { elicit })
    expect(await say(refused)).toMatchObject({ isError: true })
    expect(asked).toBe(1)
  })
})

test('a server that ignores the end of its input is not left behind', async () => {
  const stage = await makeMcpStage()
  const pidFile = join(stage.world.project, 'pid')
  const stays = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`
  const { command, args } = stage.wrapped({ command: process.execPath, args: ['-e', stays] })
  await runProgram([command, ...args], { ...stage.place, limitMs: 30_000 })
  const pid = Number(await stage.world.read(pidFile))
  const isAlive = (): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (isAlive()) await sleep(50)
})
