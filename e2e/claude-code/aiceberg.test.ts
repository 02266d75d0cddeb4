import { describe, expect, test } from 'vitest'
import { startAicebergStandIn, type AicebergDetect } from '../../src/testing/index.ts'
import { guardedBy, nextGuard, shown, toldWhole } from './aiceberg-stage.ts'
import { bash, call, say, type Turn } from './mock-anthropic.ts'
import { SUBAGENT_OPENING } from './run-client.ts'
import { expectTraceOf } from './trace-of-run.ts'

const toolCall = (callId: string, command: string): string =>
  JSON.stringify({
    tool_name: 'Bash',
    tool_args: { command, description: 'A step of the script' },
    tool_call_id: callId,
  })

const helper: Turn = call('Agent', {
  description: 'A helper',
  prompt: `${SUBAGENT_OPENING} Multiply by 2.`,
  subagent_type: 'general-purpose',
  run_in_background: false,
})

const EXAMPLE = {
  prompt: 'Please add 3+5 and then multiply it with 2.',
  turns: [bash('echo $((3+5))'), bash('echo $((8*2))'), helper, say('The result is 16.')],
  subagentTurns: [say('16, says the helper')],
}

test('the lifecycle of the example: each event is sent once, in order, and closed', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn)
  const run = await stage.run(EXAMPLE)
  const events = await toldWhole(standIn)
  expect(shown(events, 'user_agt')).toEqual([[expect.stringMatching(/^Please add 3\+5 and then/), 'The result is 16.']])
  expect(shown(events, 'agt_tool')).toEqual([
    [toolCall('toolu_c1_t0_0', 'echo $((3+5))'), expect.stringContaining('"stdout":"8"')],
    [toolCall('toolu_c1_t1_0', 'echo $((8*2))'), expect.stringContaining('"stdout":"16"')],
  ])
  expect(shown(events, 'agt_agt')).toEqual([
    [expect.stringContaining('"tool_call_id":"toolu_c1_t2_0"'), expect.stringContaining('16, says the helper')],
    [expect.stringContaining('"agent_type":"general-purpose"'), '16, says the helper'],
  ])
  const ownCalls = events.filter(({ type, metadata }) => type === 'agt_llm' && metadata['agent_id'] === 'main')
  expect(ownCalls.map(({ input, output }) => [input, output])).toEqual([
    [expect.stringMatching(/^\[user\] Please add 3\+5/), expect.stringContaining('echo $((3+5))')],
    ['[user] 8', expect.stringContaining('echo $((8*2))')],
    ['[user] 16', expect.stringContaining('"name":"Agent"')],
    [expect.stringMatching(/^\[user\] .*16, says the helper/s), '[assistant] The result is 16.'],
  ])
  expect(events.filter(({ type }) => type === 'agt_llm')).toHaveLength(5)
  expect(events).toHaveLength(11)
  expect(new Set(events.map(({ session }) => session))).toEqual(new Set([run.session]))
  expect(events.filter(({ sessionStart }) => sessionStart)).toEqual([events[0]])
  expect(events.filter(({ sessionEnd }) => sessionEnd)).toEqual([events[10]])
  // In the order of the hooks; the turns come after the answer that they end in.
  const order = events.filter(({ type }) => type !== 'agt_llm').map(({ type }) => type)
  expect(order).toEqual(['user_agt', 'agt_tool', 'agt_tool', 'agt_agt', 'agt_agt', 'agt_agt'])
  await expectTraceOf(stage, run)
})

describe('a call that Aiceberg blocks', () => {
  const detect: AicebergDetect = ({ input = '' }) =>
    input.includes('forbidden') ? { event_result: 'blocked', policy: 'e2e' } : { event_result: 'passed' }
  const turns = [bash('echo forbidden > made'), say('DONE')]

  test('does not run, and the model receives the reason', async () => {
    const standIn = await startAicebergStandIn({ detect })
    const denied = await (await guardedBy(standIn)).run({ turns })
    expect(denied.result?.permission_denials?.map((denial) => denial.tool_name)).toEqual(['Bash'])
    expect(JSON.stringify(denied.requests)).toContain('Aiceberg answered \\"blocked\\" (e2e)')
    await toldWhole(standIn)
  })

  test('runs in observe mode', async () => {
    const standIn = await startAicebergStandIn({ detect })
    const stage = await guardedBy(standIn, 'observe')
    const let_ = await stage.run({ turns })
    expect(let_.result?.permission_denials ?? []).toEqual([])
    const { out } = await stage.cli('trace', 'show', let_.session)
    expect(out).toMatch(/observe only; would have been deny\): Aiceberg would block this \(e2e\)/)
    await toldWhole(standIn)
  })
})

test('Aiceberg is unreachable: no prompt reaches the model; later Aiceberg receives the events that it may have missed', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn)
  standIn.always({ fault: 'hang-up' })
  const run = await stage.run({ turns: [say('DONE')] })
  expect(run.requests).toEqual([])
  standIn.always()
  const events = await toldWhole(standIn)
  expect(shown(events, 'user_agt').at(-1)?.[1]).toBe('(the session ended)')
})

test('the guard is killed in mid-session and restarted: no event is missing or repeated, and all are closed', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn)
  const turns = [bash('echo one'), bash('echo two', () => stage.guard.kill()), say('NOT REACHED')]
  const killed = await stage.run({ prompt: 'First.', turns })
  expect(standIn.events.filter(({ output }) => output === undefined)).not.toEqual([])
  await nextGuard(stage)
  const again = await stage.run({
    args: ['--resume', killed.session],
    prompt: 'Second.',
    turns: [bash('echo one'), bash('echo two'), bash('echo three'), say('DONE')],
  })
  expect(again.session).toBe(killed.session)
  const events = await toldWhole(standIn)
  expect(new Set(events.map(({ session }) => session))).toEqual(new Set([killed.session]))
  expect(shown(events, 'user_agt').map(([input]) => input.split(' ')[0])).toEqual(['First.', 'Second.'])
  expect(shown(events, 'agt_tool').map(([input]) => /echo \w+/.exec(input)?.[0])).toEqual(['echo one', 'echo three'])
  expect(shown(events, 'agt_llm').map(([, output]) => /echo \w+|DONE/.exec(output ?? '')?.[0])).toEqual([
    'echo one',
    'echo two',
    'echo three',
    'DONE',
  ])
})
