import { expect, test } from 'vitest'
import { bash, call, say } from './mock-anthropic.ts'
import { SUBAGENT_OPENING } from './run-client.ts'
import { makeStage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'

test('the notification of a background subagent is not recorded as a message of the person', async () => {
  const stage = await makeStage()
  const helper = {
    description: 'A helper',
    prompt: `${SUBAGENT_OPENING} Work on your own.`,
    subagent_type: 'general-purpose',
    run_in_background: true,
  }
  const run = await stage.run({
    turns: [call('Agent', helper), say('STARTED'), say('NOTIFIED')],
    subagentTurns: [bash('sleep 1'), say('HELPED')],
  })
  expect(JSON.stringify(run.requests)).toContain('<task-notification>')
  const decisions = await expectTraceOf(stage, run, 'side by side')
  const prompts = decisions.filter(({ event }) => event === 'UserPromptSubmit').map(({ kind }) => kind)
  expect(prompts).toEqual(['userMessage', 'systemMessage'])
})
