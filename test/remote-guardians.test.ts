import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGuard } from '../src/cli/serve/start-guard.ts'
import type { RunningGuard } from '../src/cli/serve/start-guard.ts'

const SECRET = 'a secret that both guards have'

let folder: string
/** Denies a tool that the other guard has nothing against. */
let asked: RunningGuard
const running: RunningGuard[] = []

const start = async (name: string, config: string): Promise<RunningGuard> => {
  const home = join(folder, name)
  const data = join(home, 'data')
  await mkdir(join(home, '.config', 'sallyport'), { recursive: true })
  await writeFile(join(home, '.config', 'sallyport', 'sallyport.yaml'), config)
  const guard = await startGuard({
    data,
    env: { HOME: home, SALLYPORT_ACS_SECRET: SECRET },
    home,
    port: 0,
    log: () => undefined,
  })
  running.push(guard)
  return guard
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-remote-'))
  asked = await start('asked', 'deny: { tools: [LaunchRocket] }\n')
  await writeFile(join(folder, 'token'), asked.token)
  await writeFile(join(folder, 'secret'), SECRET)
})
afterAll(async () => {
  for (const guard of running) await guard.stop()
  await rm(folder, { recursive: true, force: true })
})

const call = async (guard: RunningGuard, tool: string, input: Record<string, string>): Promise<unknown> => {
  const response = await fetch(`${guard.url}/v1/hooks/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${guard.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      session_id: 'a-session',
      transcript_path: '/tmp/none.jsonl',
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: tool,
      tool_input: input,
      tool_use_id: `use-${tool}`,
    }),
  })
  return response.json()
}

const denied = (reason: RegExp) => ({
  hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(reason) },
})

describe.each([
  { protocol: 'aos', more: (url: string) => `url: ${url}/v1/hooks/aos, tokenFile: ${join(folder, 'token')}` },
  { protocol: 'aos', more: () => `socket: ${asked.socket}` },
  {
    protocol: 'acs',
    more: (url: string) =>
      `url: ${url}/v1/hooks/aos, tokenFile: ${join(folder, 'token')}, secretFile: ${join(folder, 'secret')}`,
  },
])('one guard asks another by $protocol', ({ protocol, more }) => {
  test('a step that either denies is denied, one that both allow is allowed', async () => {
    const guard = await start(
      `asks-${running.length}`,
      `guardians: [{ id: other, protocol: ${protocol}, ${more(asked.url)} }]\n`,
    )
    expect(await call(guard, 'LaunchRocket', { at: 'noon' })).toMatchObject(denied(/./))
    expect(await call(guard, 'Bash', { command: 'rm -rf ~' })).toMatchObject(denied(/home/))
    expect(await call(guard, 'Bash', { command: 'ls' })).not.toMatchObject(denied(/./))
    const metrics = await (await fetch(`${guard.url}/metrics`)).text()
    expect(metrics).toMatch(/sallyport_asking_seconds_count\{guardian="other",outcome="answered"\} \d/)
  })
})

test('what cannot be a guardian is refused before anything starts', async () => {
  for (const [config, message] of [
    ['guardians: [{ id: x, url: "http://guard.example/" }]', /https: URL/],
    ['guardians: [{ id: x }]', /url must be a URL/],
    ['guardians: [{ id: x, protocol: acs, url: "https://guard.example/" }]', /secretFile must be given/],
    ['guardians: [{ id: x, url: "https://a.example/" }, { id: x, url: "https://b.example/" }]', /unique name/],
    ['guardians: [{ id: x, url: "https://a.example/", tokenFile: /nowhere/token }]', /file that this guard can read/],
  ] as const)
    await expect(start(`wrong-${message.source.length}`, config)).rejects.toThrow(message)
})
