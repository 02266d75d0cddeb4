import { describe, expect, test } from 'vitest'
import { collect, CONTEXT, createTestContext } from '../../../test/support/openclaw-protection.ts'
import type { HookMap, HookName } from '../host/host-hooks.ts'
import type { RegisterProtection } from './protection.ts'

const failing = (name: HookName, how: 'throws' | 'rejects'): RegisterProtection => {
  const fail = (): unknown => {
    if (how === 'rejects') return Promise.reject(new Error('handler broken'))
    throw new Error('handler broken')
  }
  return (api) => {
    api.on(name, fail as unknown as HookMap[typeof name], { priority: 3 })
  }
}

/** Hooks at which the host lets a step pass when its handler fails, with an event and the refusal of each. */
const PASSING: readonly { readonly name: HookName; readonly event: object; readonly refusal: object }[] = [
  { name: 'before_dispatch', event: { content: 'x' }, refusal: { handled: true } },
  { name: 'before_agent_reply', event: { cleanedBody: 'x' }, refusal: { handled: true } },
  { name: 'before_agent_run', event: { prompt: 'x', messages: [] }, refusal: { outcome: 'block' } },
  { name: 'before_tool_call', event: { toolName: 'exec', params: {} }, refusal: { block: true } },
  { name: 'before_agent_finalize', event: { sessionId: 's', stopHookActive: false }, refusal: { action: 'revise' } },
  { name: 'message_sending', event: { to: 'a', content: 'x' }, refusal: { content: expect.any(String) as string } },
  { name: 'reply_payload_sending', event: { payload: { text: 'x' } }, refusal: { payload: { isError: true } } },
  {
    name: 'before_message_write',
    event: { message: { role: 'user', content: 'x' } },
    refusal: { message: { role: 'user' } },
  },
  {
    name: 'tool_result_persist',
    event: { message: { role: 'toolResult', content: [] } },
    refusal: { message: { role: 'toolResult' } },
  },
]

const HOW = ['throws', 'rejects'] as const

describe.each(PASSING)('$name', ({ name, event, refusal }) => {
  test.each(HOW)('a handler that %s refuses', async (how) => {
    const shared = await createTestContext()
    expect(await collect(shared, failing(name, how)).fire(name, event)).toMatchObject(refusal)
    expect(shared.lines).toEqual([expect.stringContaining('handler broken')])
  })

  test.each(HOW)('one that %s passes when a step without a verdict may', async (how) => {
    const shared = await createTestContext({ config: { fail_closed: false } })
    expect(await collect(shared, failing(name, how)).fire(name, event)).toBeUndefined()
    expect(shared.lines).toHaveLength(1)
  })
})

test.each(['message_received', 'llm_input', 'after_tool_call', 'agent_end', 'before_prompt_build'] as const)(
  '%s: where nothing can be stopped, a failing handler answers nothing',
  async (name) => {
    const shared = await createTestContext()
    expect(await collect(shared, failing(name, 'throws')).fire(name, {})).toBeUndefined()
  },
)

test('a synchronous hook is answered at once, and its options are passed on', async () => {
  const shared = await createTestContext()
  const { hooks, fireNow } = collect(shared, failing('before_message_write', 'throws'))
  const answer = fireNow('before_message_write', { message: { role: 'user', content: 'x' } })
  expect(answer).not.toBeInstanceOf(Promise)
  expect(hooks[0]?.options).toEqual({ priority: 3 })
})

test('an event that JSON cannot represent is refused, too', async () => {
  const shared = await createTestContext()
  const round: Record<string, unknown> = {}
  round['self'] = round
  const { fire } = collect(shared, failing('before_tool_call', 'throws'))
  expect(await fire('before_tool_call', round, CONTEXT)).toMatchObject({ block: true })
})
