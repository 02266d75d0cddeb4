import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, say } from '../claude-code/mock-anthropic.ts'
import { clientEnv, runClient } from '../claude-code/run-client.ts'
import { TINY_MCP } from '../claude-code/tiny-mcp-config.ts'
import { makeWorld } from '../claude-code/world.ts'
import type { World } from '../claude-code/world.ts'
import { runCli } from '../cli.ts'
import { installedEntry } from '../install-client.ts'
import { killLeftGuard } from '../left-guard.ts'
import { runProgram } from '../run-program.ts'
import type { ProgramRun } from '../run-program.ts'
import { dual, everything, legacyClient, modernClient } from './peers.ts'
import type { ServerCommand } from './peers.ts'

/** The real client, where it is in the cache: these tests install no other host. */
const CLIENT = await installedEntry('claude-code')

const NO_API = 'http://127.0.0.1:9'

/** A world in which the gateway starts the guard itself. @param config the person's sallyport.yaml */
const makePlace = async (config = '') => {
  const world = await makeWorld()
  onTestFinished(() => world.dispose())
  onTestFinished(() => killLeftGuard(world.data))
  const path = join(world.home, '.config', 'sallyport', 'sallyport.yaml')
  await world.write(path, `budget: { computingMs: 20000 }\nserver: { port: 0 }\n${config}`)
  const place = { cwd: world.project, env: world.env }
  return { world, cli: (...args: readonly string[]) => runCli([...args, '--data', world.data], place) }
}

const claude = (world: World, ...args: readonly string[]): Promise<ProgramRun> =>
  runProgram([CLIENT ?? '', ...args], { cwd: world.project, env: clientEnv(world, NO_API), limitMs: 60_000 })

const serversIn = async (world: World, path: string): Promise<unknown> =>
  (JSON.parse(await world.read(path)) as { readonly mcpServers: unknown }).mcpServers

describe.runIf(CLIENT !== undefined)('Claude Code', () => {
  const own = [TINY_MCP.command, ...TINY_MCP.args]

  test.each([
    { scope: 'user', file: ({ config }: World) => join(config, '.claude.json') },
    { scope: 'project', file: ({ project }: World) => join(project, '.mcp.json') },
  ])('a server of the $scope is wrapped, works, is denied a call, and is given back', async ({ scope, file }) => {
    const { world, cli } = await makePlace()
    const path = file(world)
    expect(await claude(world, 'mcp', 'add', '--scope', scope, 'tiny', '--', ...own)).toMatchObject({ code: 0 })
    await world.write(world.settingsFile, '{"enableAllProjectMcpServers":true}')
    const before = await world.read(path)
    const asked = await cli('install', 'mcp', 'claude-code', '--scope', scope)
    expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('through the guard: tiny.') as string })

    // What an agent of the client would be told.
    const change = await cli('explain', `echo {} > ${path}`)
    expect(change).toMatchObject({ code: 1, out: expect.stringContaining('guard-tamper') as string })

    const listed = await claude(world, 'mcp', 'list')
    expect(listed.out).toMatch(/tiny: .* mcp --name tiny .* -- .*tiny-mcp\.ts - ✔ Connected/)
    expect((await claude(world, 'mcp', 'get', 'tiny')).out).toContain('Status: ✔ Connected')

    const args = { world, client: CLIENT ?? '', allowedTools: 'mcp__tiny' }
    const text = 'hello'
    const allowed = await runClient({ ...args, turns: [call('mcp__tiny__echo', { text }), say('DONE')] })
    expect(JSON.stringify(allowed.requests.at(-1)?.messages)).toContain('echo: hello')
    const command = 'rm -rf ~'
    const denied = await runClient({ ...args, turns: [call('mcp__tiny__echo', { text, command }), say('DONE')] })
    const seen = JSON.stringify(denied.requests.at(-1)?.messages)
    expect(seen).toContain('Sallyport: This would delete the home folder')
    expect(seen).not.toContain('echo: hello')

    const doctor = await cli('doctor', 'mcp', 'claude-code', '--scope', scope)
    expect(doctor).toMatchObject({
      code: 0,
      out: expect.stringMatching(/through the guard: tiny\n[^]*ok +canary/) as string,
    })
    // The client has written its own file meanwhile; a repository's is as it was installed.
    await cli('uninstall', 'mcp', 'claude-code', '--scope', scope)
    expect(await serversIn(world, path)).toEqual((JSON.parse(before) as { readonly mcpServers: unknown }).mcpServers)
    if (scope === 'project') expect(await world.read(path)).toBe(before)
    expect((await claude(world, 'mcp', 'get', 'tiny')).out).not.toContain('--name')
  })
})

test('a server of any file, by clients of both SDKs', async () => {
  const { world, cli } = await makePlace()
  const path = join(world.project, 'mcp.json')
  const text = `{\n  // by hand\n  "servers": ${JSON.stringify({ old: everything(), new: { type: 'stdio', ...dual() } }, null, 2)}\n}\n`
  await world.write(path, text)
  expect(await cli('install', 'mcp', path)).toMatchObject({ code: 0 })
  const read = (await world.read(path)).replace('// by hand', '')
  const { servers } = JSON.parse(read) as { readonly servers: Readonly<Record<'old' | 'new', ServerCommand>> }
  const place = { cwd: world.project, env: world.env }
  const refused = { command: 'rm -rf ~' }
  const legacy = await legacyClient(servers.old, place, {})
  onTestFinished(() => legacy.close())
  expect(await legacy.callTool({ name: 'echo', arguments: { message: 'a' } })).not.toHaveProperty('isError', true)
  expect(await legacy.callTool({ name: 'echo', arguments: { message: 'a', ...refused } })).toMatchObject({
    isError: true,
  })
  const modern = await modernClient(servers.new, place, {})
  onTestFinished(() => modern.close())
  expect(await modern.callTool({ name: 'say', arguments: { words: 'a' } })).not.toHaveProperty('isError', true)
  expect(await modern.callTool({ name: 'say', arguments: { words: 'a', ...refused } })).toMatchObject({ isError: true })
  expect(await cli('uninstall', 'mcp', path)).toMatchObject({ code: 0 })
  expect(await world.read(path)).toBe(text)
})

describe('the canary', () => {
  test('proves that a denial holds, and starts the guard for it', async () => {
    const { cli } = await makePlace()
    expect(await cli('doctor', 'mcp')).toMatchObject({
      code: 0,
      out: expect.stringContaining('an allowed call reached the server, and a refused one did not') as string,
    })
  })

  test('says when the refused call ran: by the rules, or because the guard only observes', async () => {
    const without = await makePlace('rules: { remote-code: off }\n')
    expect(await without.cli('doctor', 'mcp')).toMatchObject({
      code: 1,
      out: expect.stringContaining('FAIL  canary   a call that the guard must refuse REACHED the server') as string,
    })
    const observing = await makePlace('mode: observe\n')
    expect(await observing.cli('doctor', 'mcp')).toMatchObject({
      code: 0,
      out: expect.stringContaining('warn  canary   the refused call ran: the guard only observes') as string,
    })
  })

  test('says that nothing goes through without a guard', async () => {
    const { cli } = await makePlace()
    expect(await cli('doctor', 'mcp', '--system')).toMatchObject({
      code: 1,
      out: expect.stringContaining('FAIL  canary   the allowed call did not go through') as string,
    })
  })
})
