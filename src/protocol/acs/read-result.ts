import type { Place } from '../places.ts'
import type { Edit } from '../edit.ts'
import { isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'
import { escapeToken, pointersOverlap } from '../json-pointer.ts'
import type { Decision, PolicyRef } from '../verdict.ts'
import type { AcsAsked } from './write-request.ts'

/** What an ACS guardian said of a step, or why what it said is no answer. */
export type AcsAnswer =
  | {
      readonly outcome: 'verdict'
      readonly decision: Decision
      readonly reason: string
      readonly reasonCodes: readonly string[]
      readonly policies: readonly PolicyRef[]
      readonly edits: readonly Edit[]
    }
  | { readonly outcome: 'invalid'; readonly why: string }

const LONGEST_TEXT = 8_192
const MOST = 32
const REDACTED = '[REDACTED]'
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/

const DECISIONS: readonly Decision[] = ['allow', 'deny', 'modify', 'ask', 'defer']

const textOf = (value: unknown, longest = LONGEST_TEXT): string =>
  typeof value === 'string' ? value.slice(0, longest).toWellFormed() : ''

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, MOST) : [])

const policiesOf = (value: unknown): readonly PolicyRef[] =>
  listOf(value).flatMap((one) => {
    const id = isObject(one) ? textOf(one['policy_id'], 256) || textOf(one['rule_id'], 256) : ''
    return id === '' ? [] : [{ id, version: isObject(one) ? textOf(one['policy_version'], 256) : '' }]
  })

/** The place in the step's payload that a pointer on the wire means. */
const toStep = (pointer: string, places: readonly Place[]): string | undefined => {
  for (const one of places) {
    const { params, payload } = one
    if (typeof params === 'string' && (pointer === params || pointer.startsWith(`${params}/`)))
      return `${payload}${pointer.slice(params.length)}`
  }
  return undefined
}

/** Arguments are addressed from their own root as well as from the payload's (the standard's adapters do the former). */
const argumentPointer = (pointer: string, { payload }: AcsAsked): string => {
  const [, name = '', ...rest] = pointer.split('/')
  if (!isObject(payload['arguments']) || name === 'arguments') return pointer
  return ['/arguments', name, 'value', ...rest].join('/')
}

type Edits = readonly Edit[] | string

const redactionEdits = (redactions: unknown, asked: AcsAsked): Edits => {
  if (!Array.isArray(redactions)) return 'its redactions are no list'
  const edits: Edit[] = []
  for (const one of redactions as readonly unknown[]) {
    const { path, replacement = REDACTED } = isObject(one) ? one : {}
    if (typeof path !== 'string' || !POINTER.test(path) || typeof replacement !== 'string')
      return 'one of its redactions has no sound path'
    const pointer = toStep(argumentPointer(path, asked), asked.places)
    if (pointer === undefined) return 'one of its redactions is not within the step'
    edits.push({ kind: 'replace', pointer, value: replacement })
  }
  return edits
}

const overrideEdits = (overrides: unknown, { payload }: AcsAsked): Edits => {
  if (!isObject(overrides)) return 'its parameter_overrides are no object'
  const known = payload['arguments']
  if (!isObject(known)) return 'it overrides parameters of a step that has none'
  const unknown = Object.keys(overrides).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) return 'it overrides a parameter that the call does not have'
  return Object.entries(overrides as JsonObject).map(([name, value]) => ({
    kind: 'replace',
    pointer: `/input/${escapeToken(name)}`,
    value,
  }))
}

/** The edits in `modifications` (ACS 0.1.0, section 6.3); a text when what it wants cannot be told, which is a deny. */
const editsOf = (modifications: unknown, asked: AcsAsked): Edits => {
  if (!isObject(modifications)) return 'it said modify without modifications'
  const { modified_content: content, redactions, parameter_overrides: overrides } = modifications
  if (content !== undefined) {
    if (redactions !== undefined || overrides !== undefined) return 'it mixes modified_content with single edits'
    const [text, more] = asked.places
    if (typeof content !== 'string' || text?.payload !== '/text' || more !== undefined)
      return 'its modified_content does not fit the step'
    return [{ kind: 'replace', pointer: '/text', value: content }]
  }
  const redacted: Edits = redactions === undefined ? [] : redactionEdits(redactions, asked)
  if (typeof redacted === 'string') return redacted
  const overridden: Edits = overrides === undefined ? [] : overrideEdits(overrides, asked)
  if (typeof overridden === 'string') return overridden
  const overlap = redacted.some(({ pointer }) => overridden.some((one) => pointersOverlap(one.pointer, pointer)))
  return overlap ? 'its redactions and parameter_overrides meet' : [...redacted, ...overridden]
}

/** Reads the result that a guardian gave to a request of ours (response-envelope.json). */
export const readAcsResult = (result: Json, requestId: string, asked: AcsAsked): AcsAnswer => {
  const invalid = (why: string): AcsAnswer => ({ outcome: 'invalid', why })
  if (!isObject(result) || result['type'] !== 'final') return invalid('its result is not final')
  if (result['request_id'] !== requestId) return invalid('its result is that of another request')
  const decision = DECISIONS.find((one) => one === result['decision'])
  if (decision === undefined) return invalid('its decision is none of allow, deny, modify, ask and defer')
  const edits: Edits = decision === 'modify' ? editsOf(result['modifications'], asked) : []
  if (typeof edits === 'string') return invalid(edits)
  return {
    outcome: 'verdict',
    decision,
    reason: textOf(result['reasoning']),
    reasonCodes: listOf(result['reason_codes']).flatMap((code) =>
      typeof code === 'string' ? [textOf(code, 256)] : [],
    ),
    policies: policiesOf(result['policy_references']),
    edits,
  }
}
