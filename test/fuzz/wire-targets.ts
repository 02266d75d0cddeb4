import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadConfig } from '../../src/config/load.ts'
import { applyEdits } from '../../src/core/edits.ts'
import { SallyportError } from '../../src/errors/errors.ts'
import { readRequest } from '../../src/protocol/acs/envelope.ts'
import { acsMethod } from '../../src/protocol/acs/methods.ts'
import { readAcsResult } from '../../src/protocol/acs/read-result.ts'
import { acsAsked } from '../../src/protocol/acs/write-request.ts'
import type { Place } from '../../src/protocol/places.ts'
import { editParams } from '../../src/protocol/places.ts'
import { readAosRequest } from '../../src/protocol/aos/read-request.ts'
import { readAosResult } from '../../src/protocol/aos/read-result.ts'
import type { AosStep, ReadOptions } from '../../src/protocol/aos/request.ts'
import { aosRequestOf } from '../../src/protocol/aos/write-request.ts'
import type { Edit } from '../../src/protocol/edit.ts'
import { fieldsOf, isJsonObject } from '../../src/protocol/fields.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isArray } from '../../src/protocol/json.ts'
import { escapeToken, pointersOverlap, valueAt } from '../../src/protocol/json-pointer.ts'
import { readCall } from '../../src/protocol/json-rpc.ts'
import type { Step } from '../../src/protocol/step.ts'
import { readTraceparent } from '../../src/protocol/trace-context.ts'
import { anyValue, spoiltJson } from './hostile-json.ts'
import { hostileTexts } from './hostile-texts.ts'
import { holds, isSame } from './laws.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const GOLDEN = join(import.meta.dirname, '../golden/aos')

/** Requests as AOS clients send them. */
const soundRequests = (): readonly JsonObject[] =>
  readdirSync(GOLDEN).map((name) => JSON.parse(readFileSync(join(GOLDEN, name, 'request.json'), 'utf8')) as JsonObject)

const SURROUNDINGS: ReadOptions = {
  host: 'aos',
  at: 1,
  makeId: () => 'made',
  session: 'told',
  isSessionGiven: true,
  server: 'server',
  seen: () => undefined,
}

const readAos = (body: Json): AosStep | undefined => {
  const envelope = readCall(body)
  if (envelope.outcome === 'invalid') {
    holds('a refusal says what is wrong', envelope.detail !== '')
    return undefined
  }
  const read = readAosRequest(envelope.call, SURROUNDINGS)
  if (read.outcome === 'faulty') holds('a refusal says what is wrong', read.detail !== '')
  return read.outcome === 'step' ? read : undefined
}

const isJson = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  return typeof value === 'object' && Object.values(value).every(isJson)
}

/** Pointers of what is not alike in two values. */
const differing = (one: Json | undefined, other: Json | undefined, at = ''): readonly string[] => {
  const areLists = isArray(one) && isArray(other) && one.length === other.length
  if (!areLists && !(isJsonObject(one) && isJsonObject(other)))
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [at]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  const inner = (value: Json, name: string): Json | undefined =>
    Object.hasOwn(value as object, name) ? (value as JsonObject)[name] : undefined
  return [...names].flatMap((name) => differing(inner(one, name), inner(other, name), `${at}/${escapeToken(name)}`))
}

/** An edit of what stands at a place: texts get one in the middle, all else is replaced. */
const editOf = (payload: Json, { payload: pointer }: Place): Edit => {
  const value = valueAt(payload, pointer)
  if (typeof value !== 'string' || value === '') return { kind: 'replace', pointer, value: value ?? null }
  return { kind: 'ranges', pointer, ranges: [{ start: value.length >> 1, end: value.length, text: '[masked]' }] }
}

const landInPlaces = (params: JsonObject, places: readonly Place[], payload: Json): void => {
  const edits = places.map((place) => editOf(payload, place))
  const merged = applyEdits(payload, edits)
  if (merged.outcome !== 'applied') return
  const edited = editParams(params, places, edits, merged.payload)
  if (edited === undefined) return
  const allowed = places.flatMap((place) => place.params)
  for (const pointer of differing(params, edited))
    holds(
      'edits of a request land in its places alone',
      allowed.some((one) => pointersOverlap(one, pointer)),
      pointer,
    )
}

const isSound = (step: Step): void => {
  holds('a payload is JSON', isJson(step.payload), step.payload)
  holds('a step has a session and an id', step.session.id !== '' && step.id !== '')
}

const DECISIONS = ['allow', 'deny', 'modify', 'ask', 'defer', 'approve', '', null] as const

/** What a guardian of others says, sound or spoilt. */
const answer = (about: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .record({ decision: fc.constantFrom(...DECISIONS), about, said: anyValue, more: anyValue })
    .map(({ decision, about: asked, said, more }) => ({
      decision,
      message: said,
      reason: said,
      reasonCode: [said, more],
      data: { policies: [{ id: said, version: more }], policyId: said },
      modifiedRequest: asked,
    }))

const aosTargets = (sound: readonly JsonObject[], steps: readonly Step[]): readonly Target[] => [
  target('json-rpc', fc.oneof(spoiltJson(sound), anyValue), (body) => {
    const read = isSame(readCall(body), readCall(body))
    if (read.outcome === 'call') holds('a method has a name', read.call.method !== '')
    else holds('a refusal says what is wrong', read.detail !== '')
  }),
  target('aos-requests', spoiltJson(sound), (body) => {
    const read = readAos(body)
    if (read === undefined) return
    isSame(read.step, readAos(body)?.step ?? read.step)
    isSound(read.step)
    landInPlaces(read.params, read.places, read.step.payload as unknown as Json)
  }),
  target(
    'aos-results',
    fc.nat(steps.length - 1).chain((number) => {
      const step = steps[number]
      const request = step === undefined ? undefined : aosRequestOf(step, 'a')
      return fc.record({
        step: fc.constant(step),
        request: fc.constant(request),
        result: answer(spoiltJson([(request ?? {}) as unknown as JsonObject])),
      })
    }),
    ({ step, request, result }) => {
      if (step === undefined || request === undefined) return
      const read = isSame(readAosResult(result, request, step), readAosResult(result, request, step))
      if (read.outcome === 'invalid') return holds('a refusal says what is wrong', read.why !== '')
      holds('a modify changes something, and nothing else does', (read.decision === 'modify') === read.edits.length > 0)
      const applied = applyEdits(step.payload as unknown as Json, read.edits)
      holds('its edits apply', applied.outcome === 'applied', read.edits)
    },
  ),
]

const UUID = '00000000-0000-4000-8000-000000000001'

/** A step as an ACS client sends it. */
const acsRequest = (method: string, payload: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    acs_version: '0.1.0',
    request_id: UUID,
    timestamp: '2026-11-21T12:00:00Z',
    metadata: { agent_id: 'a', session_id: UUID, session_state: { chain_hash: 'c' }, user_context: { user_id: 'u' } },
    payload,
  },
})

const acsTargets = (steps: readonly Step[]): readonly Target[] => {
  const asked = steps.flatMap((step) => acsAsked(step) ?? [])
  const sound = asked.map(({ method, payload }) => acsRequest(method, payload))
  return [
    target('acs-requests', spoiltJson(sound), (body) => {
      const envelope = readCall(body)
      if (envelope.outcome === 'invalid') return
      const { method, raw } = envelope.call
      const read = isSame(readRequest(method, raw), readRequest(method, raw))
      if (read.outcome === 'invalid') return holds('a refusal says what is wrong', read.detail !== '')
      const { payload, requestId } = read.request
      const fields = fieldsOf(payload, '/params/payload')
      const said = acsMethod(method)?.read(fields, { earlierCall: () => undefined, requestId })
      if (said === undefined || fields.fault() !== undefined) return
      holds('a payload is JSON', isJson(said.payload), said.payload)
      landInPlaces(payload, said.places ?? [], said.payload as unknown as Json)
    }),
    target(
      'acs-results',
      fc.record({
        number: fc.nat(Math.max(0, asked.length - 1)),
        decision: fc.constantFrom(...DECISIONS),
        redactions: fc.array(fc.record({ path: anyValue, replacement: anyValue }), { maxLength: 3 }),
        overrides: anyValue,
        said: anyValue,
      }),
      ({ number, decision, redactions, overrides, said }) => {
        const about = asked[number]
        if (about === undefined) return
        const result = {
          type: 'final',
          request_id: UUID,
          decision,
          reasoning: said,
          reason_codes: [said],
          policy_references: said,
          modifications: { redactions, parameter_overrides: overrides },
        }
        const read = isSame(readAcsResult(result, UUID, about), readAcsResult(result, UUID, about))
        if (read.outcome === 'invalid') holds('a refusal says what is wrong', read.why !== '')
      },
    ),
  ]
}

const YAML = [
  'mode: observe\n',
  'server:\n  port: 1\n',
  'rules:\n  mask-pii: off\n',
  'allow:\n  tools: ["a"]\n',
  '- a\n',
  '? b\n',
  '&a [*a]\n',
  '<<: *a\n',
  '!!js/function x\n',
  '"\\u0000": 1\n',
  '{a: {b: [',
  '| \n  text\n',
  '--- \n',
  '%YAML 1.1\n',
  '\t',
  'x: 0o17\n',
  'y: .inf\n',
  '__proto__: 1\n',
  '# note\n',
] as const

const TRACEPARENTS = [
  '00-',
  '0af7651916cd43dd8448eb211c80319c',
  '-b7ad6b7169203331',
  '-01',
  'ff-',
  '00000000',
  '-',
  '\n',
]

const textTargets: readonly Target[] = [
  target('config', hostileTexts(YAML), (text) => {
    try {
      loadConfig([{ layer: 'user', path: 'sallyport.yaml', text }])
    } catch (error) {
      holds('a configuration is refused with a code', error instanceof SallyportError, String(error))
    }
  }),
  target('traceparent', hostileTexts(TRACEPARENTS), (text) => {
    const read = isSame(readTraceparent(text), readTraceparent(text))
    if (read === undefined) return
    holds('ids are hex digits', /^[0-9a-f]{32}$/.test(read.traceId) && /^[0-9a-f]{16}$/.test(read.spanId), read)
  }),
]

/** What comes over the wire or from a file: requests of others, what guardians of others say, configuration. */
export const createWireTargets = (): readonly Target[] => {
  const sound = soundRequests()
  const steps = sound.flatMap((body) => readAos(body)?.step ?? [])
  return [...aosTargets(sound, steps), ...acsTargets(steps), ...textTargets]
}
