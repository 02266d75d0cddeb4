import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bash, call, say, type Turn } from './mock-anthropic.ts'
import { runClient, SUBAGENT_OPENING } from './run-client.ts'
import { bareWorld, makeStage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'
import type { World } from './world.ts'

const subagent = (): Turn =>
  call('Agent', {
    description: 'A helper',
    prompt: `${SUBAGENT_OPENING} Tidy up.`,
    subagent_type: 'general-purpose',
    run_in_background: false,
  })

/** Puts a person's papers into the world, and gives the command that would destroy them. */
const papers = async (world: World): Promise<{ readonly paper: string; readonly destroy: string }> => {
  const folder = join(world.home, 'papers')
  return { paper: await world.write(join(folder, 'thesis.md'), 'ten years of work\n'), destroy: `rm -rf ${folder}` }
}

const WAYS = [
  { name: 'in the main conversation', args: [], inSubagent: false },
  { name: 'with every permission skipped', args: ['--dangerously-skip-permissions'], inSubagent: false },
  { name: 'inside a subagent', args: [], inSubagent: true },
] as const

for (const { name, args, inSubagent } of WAYS) {
  test(`a destructive command is denied and not run, ${name}`, async () => {
    const stage = await makeStage()
    const { paper, destroy } = await papers(stage.world)
    const turns = [bash(destroy), say('DONE')]
    const run = await stage.run(
      inSubagent ? { turns: [subagent(), say('DONE')], subagentTurns: turns, args } : { turns, args },
    )
    expect(existsSync(paper)).toBe(true)
    expect(run.exitCode).toBe(0)
    expect(run.result?.permission_denials?.map((denial) => denial.tool_name) ?? []).toEqual(['Bash'])
    const denied = (await expectTraceOf(stage, run)).filter((decision) => decision.decision === 'deny')
    const agent = inSubagent ? { role: 'subagent', type: 'general-purpose' } : { role: 'main', id: 'main' }
    expect(denied).toMatchObject([{ event: 'PreToolUse', kind: 'toolCallRequest', agent }])
  })

  test(`control: without the guard the same command runs, ${name}`, async () => {
    const world = await bareWorld()
    const { paper, destroy } = await papers(world)
    const turns = [bash(destroy), say('DONE')]
    await runClient(
      inSubagent ? { world, turns: [subagent(), say('DONE')], subagentTurns: turns, args } : { world, turns, args },
    )
    expect(existsSync(paper)).toBe(false)
  })
}
