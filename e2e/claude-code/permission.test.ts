import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bash, say } from './mock-anthropic.ts'
import { makeStage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'

test('an allow of the guard does not replace the permission of the person', async () => {
  const stage = await makeStage()
  const file = join(stage.world.project, 'made')
  const run = await stage.run({ turns: [bash(`touch ${file}`), say('DONE')], allowedTools: 'Read' })
  expect(existsSync(file)).toBe(false)
  expect(run.result?.permission_denials?.map((denial) => denial.tool_name)).toEqual(['Bash'])
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.map(({ decision }) => decision)).not.toContain('deny')
  expect(decisions.map(({ event }) => event)).toContain('PermissionRequest')
})

test('control: the same call runs after the person has permitted it', async () => {
  const stage = await makeStage()
  const file = join(stage.world.project, 'made')
  await stage.run({ turns: [bash(`touch ${file}`), say('DONE')] })
  expect(existsSync(file)).toBe(true)
})
