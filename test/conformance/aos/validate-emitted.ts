import { describe, expect, test } from 'vitest'
import { isObject } from '../../../src/protocol/json.ts'
import type { Step } from '../../../src/protocol/step.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { aosMethod, AOS_METHODS } from '../../../src/protocol/aos/methods.ts'
import { readAosRequest } from '../../../src/protocol/aos/read-request.ts'
import { readAosResult } from '../../../src/protocol/aos/read-result.ts'
import { aosPing, aosRequestOf } from '../../../src/protocol/aos/write-request.ts'
import type { AosRequest } from '../../../src/protocol/aos/write-request.ts'
import { readCall } from '../../../src/protocol/json-rpc.ts'
import type { Asker, Emitted } from './asker.ts'
import { METHOD_ROWS, callOf } from './requests.ts'
import { openBeside } from './schemas.ts'
import type { Beside, SchemaName } from './schemas.ts'

/** A place where a schema cannot be satisfied, and why. */
interface Exception {
  readonly schema: SchemaName | 'both'
  readonly why: string
  readonly holds: (emitted: Emitted) => boolean
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((so, name) => (isObject(so) ? so[name] : undefined), value)

const modifiedOf = ({ reply }: Emitted): unknown => at(reply, 'result', 'modifiedRequest')
const isJoch = ({ query }: Emitted): boolean => query.includes('dialect=joch')
const nameOf = (emitted: Emitted): string => String(at(modifiedOf(emitted), 'method'))

/** Every place where a message of ours is valid by neither or by one of the schemas only. */
const EXCEPTIONS: readonly Exception[] = [
  {
    schema: 'published',
    why: 'the id of an error is null where none could be told, as JSON-RPC and the text have it; the schema knows no null',
    holds: ({ reply }) => isObject(reply) && reply['id'] === null,
  },
  {
    schema: 'both',
    why: 'Joch has `reason` where the schema requires `message`, and a part of the request for the whole',
    holds: (emitted) => isJoch(emitted) && at(emitted.reply, 'result') !== undefined,
  },
  {
    schema: 'published',
    why: 'the schema names the task methods in the singular; who wants that asks for the dialect',
    holds: (emitted) =>
      aosMethod(nameOf(emitted))?.published !== undefined && aosMethod(nameOf(emitted))?.name === nameOf(emitted),
  },
  {
    schema: 'both',
    why: 'the request came under a name that is not of the standard, and goes back under it',
    holds: (emitted) => {
      const row = aosMethod(nameOf(emitted))
      return row !== undefined && (row.extension === true || row.aliases.includes(nameOf(emitted)))
    },
  },
  {
    schema: 'effective',
    why: 'the raw MCP message came in params itself, as in the examples, and goes back there',
    holds: (emitted) =>
      nameOf(emitted) === 'protocols/MCP' && at(modifiedOf(emitted), 'params', 'message') === undefined,
  },
  {
    schema: 'effective',
    why: 'payload and context of A2A came beside the method, as the text has it, and go back there',
    holds: (emitted) => at(modifiedOf(emitted), 'payload') !== undefined,
  },
  {
    schema: 'published',
    why: 'the agent came without url or instructions, and goes back without',
    holds: (emitted) =>
      at(modifiedOf(emitted), 'params', 'context', 'agent') !== undefined &&
      at(modifiedOf(emitted), 'params', 'context', 'agent', 'url') === undefined,
  },
  {
    schema: 'effective',
    why: 'the agent came without instructions, and goes back without',
    holds: (emitted) =>
      at(modifiedOf(emitted), 'params', 'context', 'agent') !== undefined &&
      at(modifiedOf(emitted), 'params', 'context', 'agent', 'instructions') === undefined,
  },
  {
    schema: 'both',
    why: 'the result of a call came flat, as the text has it, and goes back so',
    holds: (emitted) =>
      nameOf(emitted) === 'steps/toolCallResult' && at(modifiedOf(emitted), 'params', 'result') !== undefined,
  },
]

const repliesOf = (emitted: readonly Emitted[]): readonly Emitted[] =>
  emitted.flatMap((one) =>
    (Array.isArray(one.reply) ? (one.reply as readonly unknown[]) : [one.reply]).flatMap((reply) =>
      reply === undefined ? [] : [{ ...one, reply }],
    ),
  )

const disagreements = (emitted: readonly Emitted[], beside: Beside, schema: SchemaName): readonly unknown[] =>
  repliesOf(emitted).flatMap((one) => {
    const fault = beside.faultOf(schema, 'ASOPResponse', one.reply)
    const known = EXCEPTIONS.filter(
      (exception) => (exception.schema === schema || exception.schema === 'both') && exception.holds(one),
    )
    return (fault === undefined) === (known.length === 0) ? [] : [{ fault, known: known.map(({ why }) => why), ...one }]
  })

/** A request as the step that it is decided as; an MCP message as the message that it is, for so it is sent on. */
const stepOf = (body: unknown): Step => {
  const call = readCall(body)
  if (call.outcome === 'invalid') throw new Error(call.detail)
  const read = readAosRequest(call.call, {
    host: 'aos',
    at: 1_800_000_000_000,
    makeId: () => 'made',
    session: 's',
    isSessionGiven: true,
    server: 'mcp',
    seen: () => undefined,
  })
  if (read.outcome !== 'step') throw new Error(`${call.call.method} is no step`)
  const message = at(body, 'params', 'message')
  return call.call.method === 'protocols/MCP' && isObject(message)
    ? {
        ...read.step,
        kind: 'mcpMessage',
        payload: { direction: 'outbound', server: 'mcp', message: message as JsonObject },
      }
    : read.step
}

/** The requests of ours for a method, by way of the step that a request of the method is read as. */
const ownRequests = (emission: 'default' | 'published'): readonly AosRequest[] => [
  ...METHOD_ROWS.flatMap(({ method, params }, index) => {
    const step = stepOf(callOf(method, params('hello', `own-${index}`)))
    const request = aosRequestOf(step, index, {}, emission)
    return request === undefined ? [] : [request]
  }),
  aosPing('ping-1', 1_800_000_000_000, 100),
]

const surely = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('It should be there.')
  return value
}

/** Everything that was sent is valid by both schemas, but for the exceptions; and the standard's own examples are understood. */
export const validateEmitted = (asker: Asker): void => {
  const beside = openBeside()
  const { ask, emitted } = asker
  describe.skipIf(beside === undefined)('by the schemas that lie beside the checkout', () => {
    const requests = (beside?.examples ?? []).filter(({ message }) => message['method'] !== undefined)
    const results = (beside?.examples ?? []).filter(({ message }) => message['result'] !== undefined)

    test('there are 37 examples', () => {
      expect([requests.length, results.length]).toEqual([31, 6])
    })

    test.each(requests)('the example $name is decided on', async ({ message }) => {
      const reply = await ask(message)
      expect(reply).toMatchObject({
        jsonrpc: '2.0',
        id: message['id'],
        result: { decision: expect.stringMatching(/^(?:allow|deny|modify)$/) },
      })
      expect(reply.result.modifiedRequest?.method ?? message['method']).toBe(message['method'])
    })

    test.each(results)('the example $name is taken for the answer it is', ({ name, message }) => {
      const place = beside?.examples.findIndex((one) => one.name === name) ?? 0
      const request = surely(beside?.examples[place - 1]).message as unknown as AosRequest
      const answer = readAosResult(message['result'] as Json, request, stepOf(request))
      expect(answer).toMatchObject({
        outcome: 'verdict',
        decision: at(message, 'result', 'decision'),
        reason: at(message, 'result', 'message'),
      })
    })

    test.each(['default', 'published'] as const)('requests of ours are valid: %s', (emission) => {
      const schema = emission === 'default' ? 'effective' : 'published'
      const own = ownRequests(emission)
      const named = new Set(own.map(({ method }) => aosMethod(method)?.name))
      expect(AOS_METHODS.filter(({ name, extension }) => extension !== true && !named.has(name))).toEqual([])
      expect(own.flatMap((request) => surely(beside).faultOf(schema, 'ASOPRequest', request) ?? [])).toEqual([])
    })

    test.each(['published', 'effective'] as const)(
      'all that was sent is valid by the %s schema, but for the exceptions',
      (schema) => {
        expect(repliesOf(emitted).length).toBeGreaterThan(100)
        expect(disagreements(emitted, surely(beside), schema)).toEqual([])
      },
    )

    test.each(EXCEPTIONS)('an exception that happens: $why', ({ holds }) => {
      expect(repliesOf(emitted).some(holds)).toBe(true)
    })
  })
}
