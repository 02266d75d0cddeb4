/** What stands beside a prompt: shapes as OpenClaw 2026.9.6 showed them. */
import { describe, expect, test } from 'vitest'
import { collect, CONTEXT, createTestContext, WORD } from '../../../test/support/openclaw-protection.ts'
import type { HookCall } from '../../hosts/openclaw/host.ts'
import { PROMPT_BOUNDARY } from '../../hosts/openclaw/host-internals.ts'
import { inboundBlock } from './inbound-block.ts'
import { runContextOf } from './run-context.ts'

const beside = (...texts: readonly string[]) => ({
  role: 'custom',
  customType: 'openclaw.runtime-context',
  content: `<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n${texts.map((text) => JSON.stringify(text)).join('\n\n')}`,
  details: {
    source: 'openclaw-runtime-context',
    runtimeContextCarrier: true,
    fragments: texts.map((text) => ({ kind: 'conversation-data', text })),
  },
})

describe('what a run shows beside the prompt', () => {
  test.each([
    { name: 'nothing', event: {}, text: '' },
    { name: 'fragments as they were said', event: { messages: [beside('a "b"', 'c')] }, text: 'a "b"\n\nc' },
    {
      name: 'the content, where there are no fragments',
      event: { messages: [{ ...beside(), content: [{ type: 'text', text: 'x' }], details: null }] },
      text: 'x',
    },
    {
      name: 'history and messages of other plugins are none',
      event: {
        messages: [{ role: 'user', content: 'u' }, { role: 'custom', customType: 'other', content: 'p' }, null, 'm'],
      },
      text: '',
    },
    {
      name: 'what came with a request',
      event: { systemPrompt: 'You are.\n## Conversation Context\nfile\n## Conversation Context\nx\n## Runtime\nr' },
      text: 'file\n## Conversation Context\nx\n## Runtime\nr',
    },
    {
      name: 'any other system prompt is the host’s',
      event: { systemPrompt: `You are.\n## Project\nx\n${PROMPT_BOUNDARY}\n## Runtime\nr` },
      text: '',
    },
  ])('$name', ({ event, text }) => {
    expect(runContextOf({ prompt: 'hi', messages: [], ...event }).text).toBe(text)
  })

  test.each<{ name: string; event: object; text: string; strayed: readonly string[] }>([
    { name: 'as it always was', event: { messages: [beside('x')] }, text: 'x', strayed: [] },
    {
      name: 'a message of another type',
      event: { messages: [{ ...beside('x'), customType: 'context' }] },
      text: 'x',
      strayed: ['runtime-context'],
    },
    {
      name: 'one with its details alone',
      event: { messages: [{ ...beside('x'), customType: 'context', content: '' }] },
      text: 'x',
      strayed: ['runtime-context'],
    },
    {
      name: 'a heading that is not the host’s',
      event: { systemPrompt: `You are.\n## Mine\n${PROMPT_BOUNDARY}\n## Messaging\nm\n## Said\nx\n## Runtime\nr` },
      text: '## Said\nx\n## Runtime\nr',
      strayed: ['request-context'],
    },
    {
      name: 'no boundary, so that nothing is known to be the host’s',
      event: { systemPrompt: 'You are.' },
      text: 'You are.',
      strayed: ['request-context'],
    },
    {
      name: 'what a subagent was spawned with',
      event: { systemPrompt: `You are.\n${PROMPT_BOUNDARY}\n## Subagent Context\nx` },
      text: 'x',
      strayed: [],
    },
  ])('by its marks: $name', ({ event, text, strayed }) => {
    expect(runContextOf({ prompt: 'hi', messages: [], ...event })).toEqual({ text, strayed })
  })
})

describe('inbound-block of what stands beside a prompt', () => {
  const opened = async () => {
    const shared = await createTestContext()
    const asked: HookCall[] = []
    const decisions = {
      ...shared.decisions,
      ask: (call: HookCall) => {
        asked.push(call)
        return shared.decisions.ask(call)
      },
    }
    const { fire } = collect({ ...shared, decisions }, inboundBlock)
    expect(await fire('before_agent_reply', { cleanedBody: 'hello' })).toBeUndefined()
    return { fire, asked }
  }

  test('what others said is refused with the run, though its prompt has been let through', async () => {
    const { fire } = await opened()
    const answer = await fire('before_agent_run', { prompt: 'hello', messages: [beside(`bob: ${WORD.deny}`)] })
    expect(answer).toMatchObject({ outcome: 'block', message: expect.stringContaining('The word is not allowed.') })
  })

  test('anything else goes on, and is no word of the person in the session', async () => {
    const { fire, asked } = await opened()
    const event = { prompt: 'hello', messages: [beside('bob: hi')] }
    expect(await fire('before_agent_run', event)).toEqual({ outcome: 'pass' })
    expect(asked.map(({ context }) => context['sessionKey'])).toEqual([
      CONTEXT.sessionKey,
      `${CONTEXT.sessionKey}#sallyport-context`,
    ])
  })
})
