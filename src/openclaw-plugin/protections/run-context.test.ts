/** Content added to a prompt: shapes as OpenClaw 2026.9.6 showed them. */
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

describe('content that a run adds to the prompt', () => {
  test.each([
    { name: 'nothing', event: {}, text: '' },
    { name: 'fragments in their original form', event: { messages: [beside('a "b"', 'c')] }, text: 'a "b"\n\nc' },
    {
      name: 'the content, when there are no fragments',
      event: { messages: [{ ...beside(), content: [{ type: 'text', text: 'x' }], details: null }] },
      text: 'x',
    },
    {
      name: 'history and messages of other plugins are not included',
      event: {
        messages: [{ role: 'user', content: 'u' }, { role: 'custom', customType: 'other', content: 'p' }, null, 'm'],
      },
      text: '',
    },
    {
      name: 'content of a request',
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
    { name: 'in the usual form', event: { messages: [beside('x')] }, text: 'x', strayed: [] },
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
      name: 'a heading of another source',
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
      name: 'the task of a subagent',
      event: { systemPrompt: `You are.\n${PROMPT_BOUNDARY}\n## Subagent Context\nx` },
      text: 'x',
      strayed: [],
    },
  ])('by its marks: $name', ({ event, text, strayed }) => {
    expect(runContextOf({ prompt: 'hi', messages: [], ...event })).toEqual({ text, strayed })
  })
})

describe('inbound-block of content added to a prompt', () => {
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

  test('messages of others are refused with the run, though its prompt has been allowed', async () => {
    const { fire } = await opened()
    const answer = await fire('before_agent_run', { prompt: 'hello', messages: [beside(`bob: ${WORD.deny}`)] })
    expect(answer).toMatchObject({ outcome: 'block', message: expect.stringContaining('The word is not allowed.') })
  })

  test('anything else continues, and does not count as the person’s prompt in the session', async () => {
    const { fire, asked } = await opened()
    const event = { prompt: 'hello', messages: [beside('bob: hi')] }
    expect(await fire('before_agent_run', event)).toEqual({ outcome: 'pass' })
    expect(asked.map(({ context }) => context['sessionKey'])).toEqual([
      CONTEXT.sessionKey,
      `${CONTEXT.sessionKey}#sallyport-context`,
    ])
  })
})
