/**
 * Events that should have passed a seam and have not. Events as OpenClaw 2026.9.6 sends them, as far as they are read.
 */
import { describe, expect, test } from 'vitest'
import { collect, CONTEXT, createTestContext } from '../../../test/support/openclaw-protection.ts'
import type { RegisterProtection } from './protection.ts'
import { watchCalls, watchOutput, watchRuns } from './seam-watch.ts'
import { textTransforms } from './text-transforms.ts'
import { toolRedact } from './tool-redact.ts'

const RUN = { runId: CONTEXT.runId, sessionId: 's', provider: 'p', model: 'm' }
const BESIDE = {
  role: 'custom',
  customType: 'openclaw.runtime-context',
  content: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx',
  details: { source: 'openclaw-runtime-context', runtimeContextCarrier: true },
}
const TOOLS = [{ name: 'read' }, { name: 'process' }]
const asks = (more: object = {}) => ({
  name: 'llm_input',
  event: { ...RUN, prompt: 'p', tools: TOOLS, historyMessages: [BESIDE], ...more },
})
const gated = (more: object = {}) => ({ name: 'before_agent_run', event: { prompt: 'p', messages: [BESIDE], ...more } })
const said = (more: object = {}) => ({
  name: 'llm_output',
  event: { ...RUN, harnessId: 'openclaw', assistantTexts: ['Hello.'], ...more },
})
const asked = (toolCallId: string) => ({
  name: 'before_tool_call',
  event: { toolName: 'exec', params: { command: 'ls' }, toolCallId },
})
const ran = (toolCallId: string, more: object = {}) => ({
  name: 'after_tool_call',
  event: {
    toolName: 'exec',
    params: { command: 'ls' },
    toolCallId,
    result: { content: [{ type: 'text', text: 'a' }], details: { status: 'completed', exitCode: 0 } },
    ...more,
  },
})
const refused = (text: string, details: object = {}) =>
  ran('1', { result: { content: [{ type: 'text', text }], details }, error: text })

interface Case {
  readonly name: string
  readonly watch: RegisterProtection
  readonly events: readonly { readonly name: string; readonly event: object }[]
  readonly is: Readonly<Record<string, string>>
}

const CASES: readonly Case[] = [
  { name: 'a whole run', watch: watchRuns, events: [gated(), asks()], is: { before_agent_run: 'passed' } },
  { name: 'a run that no hook was asked about', watch: watchRuns, events: [asks()], is: { before_agent_run: 'lost' } },
  {
    name: 'one of them, after others were',
    watch: watchRuns,
    events: [gated(), asks({ runId: 'other' })],
    is: { before_agent_run: 'strayed' },
  },
  {
    name: 'nothing added to the prompt, where something always is',
    watch: watchRuns,
    events: [gated({ messages: [] }), asks({ historyMessages: [] })],
    is: { 'runtime-context': 'lost' },
  },
  {
    name: 'the same, after there was',
    watch: watchRuns,
    events: [gated(), asks({ historyMessages: [] })],
    is: { 'runtime-context': 'strayed' },
  },
  {
    name: 'tools for which the host adds nothing',
    watch: watchRuns,
    events: [asks({ tools: [{ name: 'read' }], historyMessages: [] })],
    is: { 'runtime-context': 'unseen', before_agent_run: 'unseen' },
  },
  {
    name: 'a program of its own, which reports no tools',
    watch: watchRuns,
    events: [asks({ tools: undefined, historyMessages: [] })],
    is: { 'runtime-context': 'unseen', before_agent_run: 'unseen' },
  },
  {
    name: 'an answer to an input that no hook has checked',
    watch: watchRuns,
    events: [said()],
    is: { 'input-text': 'lost' },
  },
  {
    name: 'an answer that passed no transform',
    watch: watchOutput,
    events: [said()],
    is: { 'text-transforms': 'lost' },
  },
  {
    name: 'one of another loop',
    watch: watchOutput,
    events: [said({ harnessId: 'codex' })],
    is: { 'text-transforms': 'unseen' },
  },
  {
    name: 'a blank one',
    watch: watchOutput,
    events: [said({ assistantTexts: [' '] })],
    is: { 'text-transforms': 'unseen' },
  },
  { name: 'a call', watch: watchCalls, events: [asked('1'), ran('1')], is: { before_tool_call: 'passed' } },
  {
    name: 'a call that no hook was asked about',
    watch: watchCalls,
    events: [ran('1')],
    is: { before_tool_call: 'lost' },
  },
  ...[
    { name: 'an unknown tool', event: refused('Tool no_such_tool not found') },
    { name: 'invalid arguments', event: refused('Validation failed for tool "exec":') },
    {
      name: 'a refusal by another',
      event: refused('no', { status: 'blocked', deniedReason: 'plugin-before-tool-call' }),
    },
  ].flatMap(({ name, event }): readonly Case[] => [
    { name: `${name}, first of all`, watch: watchCalls, events: [event], is: { before_tool_call: 'unseen' } },
    {
      name: `${name}, after others`,
      watch: watchCalls,
      events: [asked('0'), event],
      is: { before_tool_call: 'passed' },
    },
  ]),
  {
    name: 'one of them, after others were',
    watch: watchCalls,
    events: [asked('1'), ran('2')],
    is: { before_tool_call: 'strayed' },
  },
]

test.each(CASES)('$name', async ({ watch, events, is }) => {
  const shared = await createTestContext()
  const { fireAll } = collect(shared, watch)
  for (const { name, event } of events) for (const answer of await fireAll(name, event)) expect(answer).toBeUndefined()
  const states = Object.fromEntries(shared.seams.report().map(({ seam, state }) => [seam, state]))
  expect(states).toMatchObject(is)
})

describe('results of tools', () => {
  const message = { role: 'toolResult', toolCallId: '1', toolName: 'exec', content: [{ type: 'text', text: 'out' }] }
  const written = async (event: object, calls: readonly string[] = ['1']) => {
    const shared = await createTestContext()
    const { fireAll, fireNow, result } = collect(shared, watchCalls, toolRedact)
    for (const call of calls) await fireAll('before_tool_call', asked(call).event)
    const more = {
      pass: () => result({ toolCallId: '0', toolName: 'exec', args: {}, result: { content: [] } }),
      write: (hook = 'tool_result_persist') => fireNow(hook, { message, ...event }),
      state: () => shared.seams.report().find(({ seam }) => seam === 'tool-result')?.state,
    }
    return more
  }

  test('one is written, and none has passed before the model', async () => {
    const { write, state } = await written({})
    write()
    expect(state()).toBe('lost')
  })

  test.each([
    { name: 'the host’s text in place of a result', event: { message: { ...message, isError: true } }, calls: ['1'] },
    { name: 'a blocked call', event: { message: { ...message, details: { status: 'blocked' } } }, calls: ['1'] },
    { name: 'a generated result', event: { isSynthetic: true }, calls: ['1'] },
    { name: 'an unknown call', event: {}, calls: [] },
  ])('$name proves nothing', async ({ event, calls }) => {
    const { write, state } = await written(event, calls)
    write()
    write('before_message_write')
    expect(state()).toBe('unseen')
  })

  test('nor does one after others have passed', async () => {
    const { pass, write, state } = await written({})
    await pass()
    write()
    expect(state()).toBe('passed')
  })
})

describe('texts of a model by the host functions that pass them on', () => {
  const made = async (config: Readonly<Record<string, unknown>> = {}) => {
    const shared = await createTestContext({ config })
    const rewrites = textTransforms(shared, () => (text) => text)
    const [input] = rewrites.input ?? []
    const [output] = rewrites.output ?? []
    const replace = (row: typeof input, text: string): string => text.replace(row?.from ?? '', row?.to as string)
    /** As the host calls it by these names, and by none. */
    const transformMessageText = (text: string): string => replace(output, text)
    const transformAssistantEventText = (text: string): string => replace(output, text)
    const transformToolCallArgumentText = (text: string): string => replace(output, text)
    replace(input, 'hello')
    const renamed = (text: string): string => replace(output, text)
    return {
      shared,
      renamed,
      message: transformMessageText,
      event: transformAssistantEventText,
      argument: transformToolCallArgumentText,
    }
  }

  test('a text from an unknown function is withheld, with all after it, and reported once', async () => {
    const { renamed, message, event, argument, shared } = await made()
    const closed = expect.stringMatching(
      /^\[Sallyport: Part of what this assistant does can no longer be checked/,
    ) as string
    expect([renamed('one '), renamed('two ')]).toEqual([closed, ''])
    expect([event('three '), message('three'), argument('ls')]).toEqual(['', closed, 'ls'])
    expect(shared.seams.report().find(({ seam }) => seam === 'output-place')?.state).toBe('lost')
  })

  test('when steps may continue without a verdict, it continues, and is reported', async () => {
    const { renamed, shared } = await made({ fail_closed: false })
    expect(renamed('one ')).toBe('one ')
    expect(shared.seams.summary().faults).toHaveLength(1)
  })

  test('nothing streams before the host has distinguished wholes from pieces', async () => {
    const { event, message } = await made()
    expect([event('one '), event('two ')]).toEqual(['', ''])
    expect(message('one two ')).toBe('one two ')
    expect(event('three ')).toBe('three ')
  })

  test('a repeated first piece is not an end, until that is known', async () => {
    const { event } = await made()
    expect([event('secr'), event('secr'), event('et '), event('secret ')]).toEqual(['', '', '', ''])
  })

  test('an argument that came as text stops its call', async () => {
    const { event, shared } = await made()
    const { fireAll } = collect(shared, watchOutput)
    event('rm x')
    await fireAll('before_tool_call', { toolName: 'exec', params: { command: 'rm x' } })
    expect(shared.seams.closed(['outbound-block'])).toBeDefined()
    expect(shared.seams.summary().faults).toEqual([expect.stringContaining('output-argument')])
  })

  test('a call that no model has made is not affected', async () => {
    const { event, shared } = await made()
    const { fireAll } = collect(shared, watchOutput)
    event('rm x')
    await fireAll('before_tool_call', { toolName: 'exec', params: { command: 'rm x' } }, { sessionKey: 's' })
    expect(shared.seams.closed(['outbound-block'])).toBeUndefined()
  })
})
