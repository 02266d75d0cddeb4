import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { bash, say } from './mock-anthropic.ts'
import { runClient } from './run-client.ts'
import { bareWorld, makeStage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'

const SECRET = LOOKS_LIVE.githubToken

/** A policy of the person's own that wants secrets masked in what an agent is about to run. */
const MASKING_POLICY = `@id("mask-commands")
@reason("Secrets do not belong on a command line.")
@mask("secret")
permit (principal, action == Action::"toolCallRequest", resource);
`

test('a rewritten call runs as rewritten', async () => {
  const stage = await makeStage({ policy: MASKING_POLICY })
  const note = join(stage.world.project, 'note.txt')
  const run = await stage.run({ turns: [bash(`echo 'before ${SECRET} after' > ${note}`), say('DONE')] })
  const written = await stage.world.read(note)
  expect(written).toMatch(/^before .+ after\n$/)
  expect(written).not.toContain(tailOf(SECRET))
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.find(({ event }) => event === 'PreToolUse')?.decision).toBe('modify')
})

test('control: without the guard the call runs unchanged', async () => {
  const world = await bareWorld()
  const note = join(world.project, 'note.txt')
  await runClient({ world, turns: [bash(`echo 'before ${SECRET} after' > ${note}`), say('DONE')] })
  expect(await world.read(note)).toBe(`before ${SECRET} after\n`)
})
