import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bash, call, say } from './mock-anthropic.ts'
import { makeStage } from './stage.ts'
import { TINY_MCP_ARGS } from './tiny-mcp-config.ts'
import { expectTraceOf } from './trace-of-run.ts'

test('observe mode: every call runs, and the trace records what would have been blocked', async () => {
  const stage = await makeStage({ config: 'mode: observe\n' })
  const folder = join(stage.world.home, 'papers')
  const paper = await stage.world.write(join(folder, 'thesis.md'), 'ten years of work\n')
  const run = await stage.run({ turns: [bash(`rm -rf ${folder}`), say('DONE')] })
  expect(existsSync(paper)).toBe(false)
  expect(run.result?.result).toBe('DONE')
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.find(({ event }) => event === 'PreToolUse')).toMatchObject({ decision: 'allow', observed: 'deny' })
})

const MCP_CALLS = [
  { name: 'an MCP tool that the configuration denies is not called', config: 'deny:\n  tools: [mcp__tiny__echo]\n' },
  { name: 'control: the same tool is called when nothing denies it', config: '' },
] as const

for (const { name, config } of MCP_CALLS) {
  test(name, async () => {
    const stage = await makeStage({ config })
    const turns = [call('mcp__tiny__echo', { text: 'knock' }), say('DONE')]
    const run = await stage.run({ turns, args: TINY_MCP_ARGS, allowedTools: 'mcp__tiny' })
    const denied = config !== ''
    expect(JSON.stringify(run.requests.at(-1)?.messages).includes('echo: knock')).toBe(!denied)
    expect(run.result?.permission_denials?.length).toBe(denied ? 1 : 0)
    const decisions = await expectTraceOf(stage, run)
    expect(decisions.find(({ event }) => event === 'PreToolUse')?.decision).toBe(denied ? 'deny' : 'allow')
  })
}
