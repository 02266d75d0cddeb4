import { expect, onTestFinished, test } from 'vitest'
import { startGuard } from '../guard.ts'
import { bash, call, say, type Turn } from './mock-anthropic.ts'
import { modelCalls } from './model-calls.ts'
import { SUBAGENT_OPENING } from './run-client.ts'
import { makeStage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'

const helper: Turn = call('Agent', {
  description: 'A helper',
  prompt: `${SUBAGENT_OPENING} Multiply by 2.`,
  subagent_type: 'general-purpose',
  run_in_background: false,
})

/** Two calls at once, a subagent, and the answer. */
const SCRIPT: readonly Turn[] = [
  {
    blocks: [
      { type: 'text', text: 'First the sum.' },
      { type: 'tool_use', name: 'Bash', input: { command: 'echo 3', description: 'One number' } },
      { type: 'tool_use', name: 'Bash', input: { command: 'echo 5', description: 'The other' } },
    ],
  },
  helper,
  say('The result is 16.'),
]

const OWN_CALLS = [
  {
    role: 'main',
    input: [expect.stringContaining('add 3+5 and then multiply it with 2')],
    output: ['[assistant] First the sum.', '[assistant] call Bash', '[assistant] call Bash'],
    stopReason: 'tool_use',
  },
  {
    role: 'main',
    input: expect.toSatisfy(
      (input: readonly string[]) => input.toSorted().join() === '[user] result 3,[user] result 5',
    ),
    output: ['[assistant] call Agent'],
    stopReason: 'tool_use',
  },
  {
    role: 'main',
    input: [expect.stringContaining('16, says the helper')],
    output: ['[assistant] The result is 16.'],
    stopReason: 'end_turn',
  },
]

const HELPERS_CALLS = [
  {
    role: 'subagent',
    input: [expect.stringContaining('Multiply by 2.')],
    output: ['[assistant] call Bash'],
    stopReason: 'tool_use',
  },
  {
    role: 'subagent',
    input: ['[user] result 16'],
    output: ['[assistant] 16, says the helper'],
    stopReason: 'end_turn',
  },
]

const JOB = {
  prompt: 'Please add 3+5 and then multiply it with 2.',
  turns: SCRIPT,
  subagentTurns: [bash('echo 16'), say('16, says the helper')],
}

test('the trace has every turn of a session with two tools, a subagent and an answer', async () => {
  const stage = await makeStage()
  const run = await stage.run(JOB)
  const calls = await modelCalls(stage, run.session, 5)
  expect(calls.filter(({ role }) => role === 'main')).toEqual(OWN_CALLS)
  expect(calls.filter(({ role }) => role === 'subagent')).toEqual(HELPERS_CALLS)
  await expectTraceOf(stage, run)
})

test('the guard is killed in mid-session and restarted: no turn is missing or repeated', async () => {
  const stage = await makeStage()
  const { world } = stage
  const first = await stage.run(JOB)
  await modelCalls(stage, first.session, 3)
  const killed = await stage.run({
    args: ['--resume', first.session],
    prompt: 'And again.',
    turns: [...SCRIPT, bash('echo lost', () => stage.guard.kill()), say('NOT REACHED')],
  })
  expect(killed.session).toBe(first.session)
  const next = await startGuard(
    { env: world.env, cwd: world.project, prefix: world.prefix },
    world.data,
    stage.guard.port,
  )
  onTestFinished(() => next.stop())
  const again = await stage.run({
    args: ['--resume', first.session],
    prompt: 'Once more.',
    turns: [...SCRIPT, bash('echo lost'), say('The end.')],
  })
  expect(again.session).toBe(first.session)
  const calls = await modelCalls(stage, first.session, 7)
  const outputs = calls.filter(({ role }) => role === 'main').map(({ output }) => output.join())
  const [sum, helped, result] = OWN_CALLS.map(({ output }) => output.join())
  expect(outputs).toEqual([sum, helped, result, '[assistant] call Bash', '[assistant] The end.'])
  expect(calls).toHaveLength(outputs.length + HELPERS_CALLS.length)
})
