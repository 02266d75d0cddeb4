import { expect, onTestFinished, test } from 'vitest'
import { cliEntry } from '../cli.ts'
import { startGuard } from '../guard.ts'
import { runProgram } from '../run-program.ts'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { call, say } from './mock-anthropic.ts'
import type { Turn } from './mock-anthropic.ts'
import { runClient } from './run-client.ts'
import { bareWorld } from './stage.ts'
import { TINY_MCP } from './tiny-mcp-config.ts'

/** A run of the client with the tiny server behind the gateway, and no hooks. */
const throughGateway = async (turn: Turn) => {
  const world = await bareWorld()
  const place = { env: world.env, cwd: world.project }
  const guard = await startGuard(place, world.data)
  onTestFinished(() => guard.stop())
  const wrapped = {
    command: process.execPath,
    args: [cliEntry(), 'mcp', '--name', 'tiny', '--data', world.data, '--', TINY_MCP.command, ...TINY_MCP.args],
  }
  const args = ['--mcp-config', JSON.stringify({ mcpServers: { tiny: wrapped } })]
  const run = await runClient({ world, turns: [turn, say('DONE')], args, allowedTools: 'mcp__tiny' })
  const shown = await runProgram([process.execPath, cliEntry(), 'trace', 'ls', '--json', '--data', world.data], {
    ...place,
    limitMs: 30_000,
  })
  return { run, seen: JSON.stringify(run.requests.at(-1)?.messages), sessions: shown.out }
}

test('a call through the gateway is allowed', async () => {
  const { run, seen, sessions } = await throughGateway(call('mcp__tiny__echo', { text: 'hello' }))
  expect(run.result?.result).toBe('DONE')
  expect(seen).toContain('echo: hello')
  expect(sessions).toContain('mcp-')
})

test('a call through the gateway is denied, and the model reads why', async () => {
  const { run, seen } = await throughGateway(call('mcp__tiny__echo', { text: 'hello', command: 'rm -rf ~' }))
  expect(run.result?.result).toBe('DONE')
  expect(seen).toContain('Sallyport: This would delete the home folder')
  expect(seen).not.toContain('echo: hello')
})

test('a secret in a result is masked by the gateway', async () => {
  const { run, seen } = await throughGateway(call('mcp__tiny__secret', { text: 'x' }))
  expect(run.result?.result).toBe('DONE')
  expect(seen).toContain('and that is all')
  expect([seen, run.printed, run.transcript].map((text) => text.includes(tailOf(LOOKS_LIVE.githubToken)))).toEqual([
    false,
    false,
    false,
  ])
})
