import { describe, expect, test } from 'vitest'
import type { Edit } from '../edit.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Step } from '../step.ts'
import { readAcsResult } from './read-result.ts'
import { acsAsked } from './write-request.ts'

const CALL = {
  id: 's',
  host: 'test',
  event: 'test',
  at: 0,
  session: { id: 's' },
  agent: { id: 'a', role: 'main' },
  kind: 'toolCallRequest',
  payload: { tool: { name: 'Bash' }, input: { command: 'echo hello', list: ['a', 'b'], 'a/b': 'x' } },
} as Step
const MESSAGE = { ...CALL, kind: 'userMessage', payload: { text: 'call 123 now' } } as Step

const read = (result: JsonObject, step: Step = CALL, again = false) => {
  const asked = acsAsked(step)
  if (asked === undefined) throw new Error('ACS has a method for this step')
  return readAcsResult({ type: 'final', acs_version: '0.1.0', request_id: 'r', ...result }, 'r', asked, again)
}
const modify = (modifications: Json, step?: Step, again?: boolean) =>
  read({ decision: 'modify', modifications }, step, again)
const redact = (...redactions: readonly JsonObject[]): JsonObject => ({ redactions })

describe('invalid answers of an ACS guardian', () => {
  test.each<{ name: string; result: JsonObject }>([
    { name: 'not final', result: { type: 'partial', decision: 'allow' } },
    { name: 'of another request', result: { request_id: 'other', decision: 'allow' } },
    { name: 'no decision', result: {} },
    { name: 'a decision in other letters', result: { decision: 'ALLOW' } },
    { name: 'allow with a change', result: { decision: 'allow', modifications: { parameter_overrides: {} } } },
    { name: 'modify without modifications', result: { decision: 'modify' } },
  ])('$name', ({ result }) => {
    expect(read(result)).toMatchObject({ outcome: 'invalid' })
  })

  test.each<{ name: string; modifications: Json; step?: Step }>([
    { name: 'nothing in it', modifications: {} },
    { name: 'lists of nothing', modifications: { redactions: [], parameter_overrides: {} } },
    { name: 'whole and single edits', modifications: { modified_content: 'x', redactions: [] } },
    { name: 'a text for a call', modifications: { modified_content: 'echo x' } },
    { name: 'a content that is not text', modifications: { modified_content: {} }, step: MESSAGE },
    { name: 'a path without its root', modifications: redact({ path: 'arguments/command/value' }) },
    { name: 'a path with an escape of nothing', modifications: redact({ path: '/arguments/a~2/value' }) },
    { name: 'a path to no argument', modifications: redact({ path: '/arguments/other/value' }) },
    { name: 'a path into what every object has', modifications: redact({ path: '/arguments/__proto__/value' }) },
    { name: 'a path to the tool', modifications: redact({ path: '/tool/name' }) },
    { name: 'a path to all', modifications: redact({ path: '' }) },
    { name: 'a path next to the value', modifications: redact({ path: '/arguments/command' }) },
    {
      name: 'a replacement that is not text',
      modifications: redact({ path: '/arguments/command/value', replacement: {} }),
    },
    { name: 'an override of another parameter', modifications: { parameter_overrides: { other: 'x' } } },
    {
      name: 'an override of what every object has',
      modifications: JSON.parse('{"parameter_overrides":{"__proto__":"x"}}') as Json,
    },
    { name: 'an override of a message', modifications: { parameter_overrides: { text: 'x' } }, step: MESSAGE },
    {
      name: 'a redaction within an override',
      modifications: { ...redact({ path: '/arguments/list/value/0' }), parameter_overrides: { list: [] } },
    },
    {
      name: 'a redaction within a redaction',
      modifications: redact({ path: '/arguments/list/value' }, { path: '/arguments/list/value/0' }),
    },
    {
      name: 'two replacements of one value',
      modifications: redact(
        { path: '/arguments/command/value', replacement: 'a' },
        { path: '/command', replacement: 'b' },
      ),
    },
  ])('modify: $name', ({ modifications, step }) => {
    expect(modify(modifications, step)).toMatchObject({ outcome: 'invalid' })
  })
})

describe('changes of an ACS guardian', () => {
  const ranges = (pointer: string, start: number, end: number, text: string): Edit => ({
    kind: 'ranges',
    pointer,
    ranges: [{ start, end, text }],
  })

  test.each<{ name: string; modifications: Json; edits: readonly Edit[]; step?: Step }>([
    {
      name: 'an argument',
      modifications: { parameter_overrides: { command: 'echo bye' } },
      edits: [ranges('/input/command', 5, 10, 'bye')],
    },
    {
      name: 'an argument into another shape',
      modifications: { parameter_overrides: { list: 'x' } },
      edits: [{ kind: 'replace', pointer: '/input/list', value: 'x' }],
    },
    {
      name: 'a value without a replacement',
      modifications: redact({ path: '/arguments/a~1b/value' }),
      edits: [ranges('/input/a~1b', 0, 1, '[REDACTED]')],
    },
    {
      name: 'an argument by its own root, twice the same',
      modifications: redact({ path: '/list/1', replacement: '*' }, { path: '/list/1', replacement: '*' }),
      edits: [ranges('/input/list/1', 0, 1, '*')],
    },
    {
      name: 'two places',
      modifications: {
        ...redact({ path: '/arguments/list/value/0', replacement: '*' }),
        parameter_overrides: { command: 'ls' },
      },
      edits: [ranges('/input/list/0', 0, 1, '*'), expect.objectContaining({ pointer: '/input/command' }) as Edit],
    },
    {
      name: 'a message as a whole',
      modifications: { modified_content: 'call [n] now' },
      step: MESSAGE,
      edits: [ranges('/text', 5, 8, '[n]')],
    },
  ])('$name', ({ modifications, edits, step }) => {
    expect(modify(modifications, step)).toMatchObject({ decision: 'modify', edits })
  })

  test('a change to the existing value is an answer only in a repeated request', () => {
    const same = { parameter_overrides: { command: 'echo hello' } }
    expect(modify(same)).toMatchObject({ outcome: 'invalid' })
    expect(modify(same, CALL, true)).toMatchObject({ decision: 'allow', edits: [] })
  })
})
