import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GatewayAnswer } from '../../hosts/gateway/question.ts'
import { isJsonObject } from '../../protocol/fields.ts'
import type { Json } from '../../protocol/json.ts'
import { METHODS } from './methods.ts'
import type { Side } from './message.ts'
import { createMcpSession } from './session.ts'

/** Any member of a message, as somebody hostile would send it. */
const VALUE: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    'x',
    '\ud800',
    -1,
    0,
    1,
    1.5,
    true,
    [],
    {},
    [[]],
    [null],
    { __proto__: null },
    'echo',
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
)
const ID = fc.oneof(fc.constantFrom<Json>(0, 1, 2, '1', 'sallyport-id', null), VALUE)
const PARAMS = fc.oneof(
  VALUE,
  fc.dictionary(
    fc.constantFrom(
      'name',
      'arguments',
      '_meta',
      'requestId',
      'taskId',
      'requestState',
      'inputResponses',
      'progressToken',
    ),
    VALUE,
  ),
)
const MESSAGE = fc.record(
  {
    jsonrpc: fc.constantFrom<Json>('2.0', '2.0', '2.0', '1.0'),
    id: ID,
    method: fc.oneof(fc.constantFrom<Json>(...METHODS, 'tools/call', 'Tools/Call', ''), VALUE),
    params: PARAMS,
    result: PARAMS,
    error: PARAMS,
  },
  { requiredKeys: [] },
)
const VERSION = fc.constant('2.0')
const METHOD = fc.constantFrom(...METHODS, 'tools/call', 'tools/call', 'acme/own')
/** Messages that are as they should be, so that some of them meet. */
const PROPER = fc.oneof(
  fc.record({ jsonrpc: VERSION, id: fc.nat(1), method: METHOD, params: PARAMS.filter(isJsonObject) }),
  fc.record({ jsonrpc: VERSION, method: METHOD, params: PARAMS.filter(isJsonObject) }),
  fc.record({ jsonrpc: VERSION, id: fc.nat(1), result: PARAMS }),
)
const LINE = fc.oneof(
  PROPER.map((value) => JSON.stringify(value)),
  PROPER.map((value) => JSON.stringify(value)),
  MESSAGE.map((value) => JSON.stringify(value)),
  fc.array(MESSAGE, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  MESSAGE.map((value) => JSON.stringify(value).slice(0, -2)),
  fc.string(),
)
const ANSWER: fc.Arbitrary<GatewayAnswer> = fc.record({
  decision: fc.constantFrom('allow', 'allow', 'modify', 'ask', 'deny'),
  reason: fc.constant('Sallyport: why.'),
  reasonCodes: fc.constantFrom(['rule'], ['SP_TOO_COSTLY']),
  edits: fc.array(
    fc.record({
      kind: fc.constant('replace' as const),
      pointer: fc.constantFrom('', '/input', '/input/x', '/output', '/message/params', '/attachments/0', '/tool/name'),
      value: VALUE,
    }),
    { maxLength: 2 },
  ),
})

/** All of a session goes on a decision, or is ours. */
const run = async (lines: readonly (readonly [Side, string])[], answers: readonly GatewayAnswer[]) => {
  let at = 0
  let failed = 0
  const sent: string[] = []
  const session = createMcpSession({
    server: 'tiny',
    decide: async () => {
      const answer = answers[at++ % answers.length]
      if (answer === undefined) throw new Error('no answer')
      return answer
    },
    send: (_to, text) => sent.push(text),
    log: (what) => void (failed += what.startsWith('a fault') ? 1 : 0),
    makeId: () => 'id',
    after: () => () => undefined,
  })
  for (const [from, line] of lines) void session.receive(from, { kind: 'line', bytes: Buffer.from(line) })
  await new Promise(setImmediate)
  return { counts: session.counts(), sent, failed }
}

test('whatever either side sends and the guard answers: no fault, nothing undecided, one message a line', async () => {
  let forwarded = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom<Side>('client', 'server'), LINE), { maxLength: 8 }),
      fc.array(ANSWER, { minLength: 1, maxLength: 6 }),
      async (lines, answers) => {
        const { counts, sent, failed } = await run(lines, answers)
        expect([counts.undecided, failed]).toEqual([0, 0])
        forwarded += counts.forwarded
        expect(counts.forwarded).toBeLessThanOrEqual(counts.decided)
        expect(counts.forwarded + counts.replied).toBe(sent.length)
        for (const text of sent) {
          expect(text).not.toContain('\n')
          expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0' })
        }
      },
    ),
    { numRuns: 3_000 },
  )
  // The generator makes messages that pass.
  expect(forwarded).toBeGreaterThan(100)
})

test('a guard that throws is a denial', async () => {
  const { sent, failed } = await run(
    [['client', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}']],
    [],
  )
  expect(failed).toBe(1)
  expect(sent.map((text) => JSON.parse(text) as Json)).toMatchObject([{ id: 1, result: { isError: true } }])
})
