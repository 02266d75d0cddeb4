import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Arrival } from '../../core/host.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Decision, Verdict } from '../../protocol/verdict.ts'
import { EVENT_NAMES, eventRow } from './events.ts'
import { createClaudeCodeHost } from './host.ts'
import { ALLOWED } from '../../../test/support/allowed.ts'

const host = createClaudeCodeHost()
const arrival: Arrival = { at: 1, makeId: () => 'made' }

const VERDICT: Verdict = { ...ALLOWED, reason: 'because' }

/** An event with every field that any event needs. */
const bodyOf = (event: string, more: JsonObject = {}): JsonObject => ({
  session_id: 's',
  cwd: '/w',
  hook_event_name: event,
  prompt: 'hello',
  command_name: 'deploy',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
  tool_response: { stdout: 'out' },
  tool_calls: [],
  error: 'Exit code 1',
  delta: 'text',
  ...more,
})

const replyTo = (event: string, verdict: Partial<Verdict>, more?: JsonObject): Json => {
  const decoded = host.decode(bodyOf(event, more), arrival)
  if (decoded.outcome === 'rejected') throw new Error(decoded.reason)
  return decoded.encode({ step: decoded.step, merged: decoded.step, verdict: { ...VERDICT, ...verdict } })
}

/** Every form in which the host accepts a hook's permission for a step. */
const GRANTS = /"(?:permissionDecision|behavior|decision|action)":"(?:allow|approve|accept)"/

describe('answers', () => {
  test.each(EVENT_NAMES)('%s: an allow is not a permission', (event) => {
    expect(replyTo(event, { decision: 'allow' })).toEqual({})
  })

  test.each(EVENT_NAMES)('%s: no answer ever grants anything', (event) => {
    for (const decision of ['allow', 'modify', 'ask', 'defer', 'deny'] satisfies Decision[])
      expect(JSON.stringify(replyTo(event, { decision }))).not.toMatch(GRANTS)
  })

  test.each(EVENT_NAMES)('%s: a refusal names its own event or none', (event) => {
    const { hookSpecificOutput } = host.refuse(event, 'no') as { hookSpecificOutput?: { hookEventName: string } }
    expect(hookSpecificOutput?.hookEventName ?? event).toBe(event)
  })

  test.each(
    EVENT_NAMES.filter((event) => {
      const power = eventRow(event)?.power
      return typeof power === 'function' || power?.deny === true
    }),
  )('%s: a step that can be refused is refused', (event) => {
    const text = JSON.stringify(host.refuse(event, 'no'))
    expect(text).toMatch(
      /"decision":"block"|"(?:permissionDecision|behavior)":"deny"|"displayContent"|"action":"decline"/,
    )
    expect(replyTo(event, { decision: 'deny' })).not.toEqual({})
  })

  test('a refused tool call carries no `continue: false`, which alone would let it run', () => {
    expect(replyTo('PreToolUse', { decision: 'deny' })).not.toHaveProperty('continue')
  })

  test('a stop is refused once, then ended without its answer', () => {
    const first = replyTo('Stop', { decision: 'deny' })
    expect(first).toMatchObject({ decision: 'block' })
    expect(first).not.toHaveProperty('continue')
    const again = replyTo('Stop', { decision: 'deny' }, { stop_hook_active: true })
    expect(again).toMatchObject({ decision: 'block', continue: false })
  })

  test('an answer that only had to be masked, and was masked where it is shown, stays the result', () => {
    const downgrade = { from: 'modify', to: 'deny', why: 'x' } as const
    const again = replyTo('Stop', { decision: 'deny', downgrade }, { stop_hook_active: true })
    expect(again).toMatchObject({ continue: false })
    expect(again).not.toHaveProperty('decision')
  })

  test('a reason of any length and content stays below the host’s limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20_000 }),
        fc.constantFrom(...EVENT_NAMES),
        (reason, event) => {
          const strings: string[] = []
          JSON.stringify(host.refuse(event, reason), (_, value: unknown) => {
            if (typeof value === 'string') strings.push(value)
            return value
          })
          return strings.every((text) => text.length < 10_000 && text.isWellFormed())
        },
      ),
      { numRuns: 200 },
    )
    expect(JSON.stringify(host.refuse('PreToolUse', 'x'.repeat(20_000))).length).toBeLessThan(20_000)
  })
})

describe('bad input', () => {
  test.each<{ name: string; body: unknown; event?: string; code: string; reply: object }>([
    {
      name: 'null',
      body: null,
      event: 'PreToolUse',
      code: 'SP_INPUT_FIELD',
      reply: { hookSpecificOutput: { permissionDecision: 'deny' } },
    },
    { name: 'an array', body: [], event: 'Stop', code: 'SP_INPUT_FIELD', reply: { decision: 'block' } },
    {
      name: 'no event anywhere',
      body: { session_id: 's' },
      code: 'SP_INPUT_FIELD',
      reply: { continue: false, decision: 'block' },
    },
    {
      name: 'the event only in the address',
      body: { session_id: 's' },
      event: 'PreToolUse',
      code: 'SP_INPUT_FIELD',
      reply: { hookSpecificOutput: { hookEventName: 'PreToolUse' } },
    },
    {
      name: 'another event than in the address',
      body: bodyOf('Notification'),
      event: 'PreToolUse',
      code: 'SP_INPUT_FIELD',
      reply: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } },
    },
    {
      name: 'an event that is a property of every object',
      body: bodyOf('__proto__'),
      code: 'SP_EVENT_UNKNOWN',
      reply: { decision: 'block' },
    },
    {
      name: 'an event that is not a string',
      body: bodyOf('x', { hook_event_name: 7 }),
      event: 'Stop',
      code: 'SP_INPUT_FIELD',
      reply: { decision: 'block' },
    },
    {
      name: 'no session',
      body: bodyOf('PreToolUse', { session_id: '' }),
      code: 'SP_INPUT_FIELD',
      reply: { hookSpecificOutput: { permissionDecision: 'deny' } },
    },
    {
      name: 'tool input that is a list',
      body: bodyOf('PreToolUse', { tool_input: [] }),
      code: 'SP_INPUT_FIELD',
      reply: { hookSpecificOutput: { permissionDecision: 'deny' } },
    },
  ])('$name is refused in the form of its event', ({ body, event, code, reply }) => {
    const decoded = host.decode(body, event === undefined ? arrival : { ...arrival, event })
    expect(decoded).toMatchObject({ outcome: 'rejected', code, reply })
  })

  test('any JSON decodes to an answer and never throws', () => {
    const value = fc.jsonValue() as fc.Arbitrary<Json>
    const event = fc.constantFrom<string>(...EVENT_NAMES, 'toString', '')
    const mutated = fc
      .tuple(event, fc.dictionary(fc.constantFrom(...Object.keys(bodyOf('x'))), value))
      .map(([name, fields]) => bodyOf(name, fields))
    fc.assert(
      fc.property(fc.oneof(value, mutated), (body) => {
        const decoded = host.decode(body, arrival)
        return decoded.outcome === 'step' ? decoded.step.session.id !== '' : decoded.reason !== ''
      }),
      { numRuns: 500 },
    )
  })

  test('a refusal never quotes the input', () => {
    const decoded = host.decode(bodyOf('PreToolUse', { tool_input: 'hunter2' }), arrival)
    expect(JSON.stringify(decoded)).not.toContain('hunter2')
  })
})
