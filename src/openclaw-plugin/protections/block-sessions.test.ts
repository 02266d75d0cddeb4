import { expect, test } from 'vitest'
import { recordRegistration } from '../../../test/support/openclaw-registration.ts'
import { blockSessions } from './block-sessions.ts'

const REASON = 'audit_mode is wrong.'

test.each([
  { name: 'before_dispatch', answer: { handled: true, text: REASON } },
  { name: 'before_agent_reply', answer: { handled: true, reply: { text: REASON } } },
  { name: 'before_agent_run', answer: { outcome: 'block', message: REASON } },
  { name: 'before_tool_call', answer: { block: true, blockReason: REASON } },
])('$name refuses with the reason, before all others', ({ name, answer }) => {
  const { hooks } = recordRegistration((api) => {
    blockSessions(api, () => REASON)
  })
  const [hook, ...more] = hooks.filter((one) => one.name === name)
  expect(hook?.run({}, {})).toMatchObject(answer)
  expect([hook?.options?.priority, more]).toEqual([1_001, []])
})

test('without a reason nothing is stopped', () => {
  const { hooks } = recordRegistration((api) => {
    blockSessions(api, () => undefined)
  })
  expect(hooks.map(({ run }) => run({}, {}))).toEqual([undefined, undefined, undefined, undefined])
})
