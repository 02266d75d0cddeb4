import { isJsonObject } from '../fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { traceIdOf } from '../trace-context.ts'
import type { Decided, Verdict } from '../verdict.ts'
import { aosMethod } from './methods.ts'
import { editParams } from '../places.ts'
import { holdsRounded } from '../rounded-number.ts'
import type { AosStep } from './request.ts'

/** Every dialect, the default first. */
export const AOS_DIALECTS = ['default', 'published', 'joch'] as const

/**
 * Form of the answers: by the standard's text, by the published schema to the letter, or as Joch's page has them
 * (`reason` and `policyId` for `message` and `data`, only the changed part of the request).
 */
export type AosDialect = (typeof AOS_DIALECTS)[number]

/** Longest text in one member of an answer, in UTF-16 code units. */
const LONGEST_TEXT = 8_192
/** Most listed findings. */
const MOST_FINDINGS = 100

const text = (full: string): string => {
  const formed = full.trim().toWellFormed()
  return formed.length <= LONGEST_TEXT ? formed : `${formed.slice(0, LONGEST_TEXT).toWellFormed()} …`
}

/** Values of `decision`, after decisions unknown to AOS have become refusals. */
type AosDecision = 'allow' | 'deny' | 'modify'

const SENTENCE: { readonly [D in AosDecision]: (method: string) => string } = {
  allow: (method) => `Allowed: no guardian objects to this ${method}.`,
  deny: (method) => `Refused: this ${method} must not run.`,
  modify: (method) => `Changed: continue only with the modified ${method}.`,
}

const extraMembers = ({ downgrade, observed, approval }: Verdict): JsonObject => ({
  ...(approval === undefined ? {} : { approvalId: approval.id }),
  ...(downgrade === undefined ? {} : { downgradedFrom: downgrade.from, downgradedBecause: downgrade.why }),
  ...(observed === undefined ? {} : { observed }),
})

/** Everything without a member of its own in the standard goes into `data` (AOS 0.1.0, ASOPSuccessResult). */
const dataOf = ({ step, verdict }: Decided): JsonObject => {
  const { policies, findings, guardians, unguarded } = verdict
  const [policy] = policies
  const decisive = guardians.findLast(({ outcome }) => outcome === verdict.decision) ?? guardians.at(-1)
  return {
    ...(policy === undefined ? {} : { policyId: policy.id, policyVersion: policy.version }),
    ...(decisive === undefined ? {} : { guardian: decisive.guardian }),
    findings: findings.slice(0, MOST_FINDINGS).map(({ category, type, severity, confidence, detector }) => ({
      category,
      type,
      severity,
      confidence,
      detector,
    })),
    policies: policies.map(({ id, version }) => ({ id, version })),
    guardians: guardians.map(({ guardian, version, stage, outcome }) => ({ guardian, version, stage, outcome })),
    traceId: traceIdOf(step),
    ...(unguarded ? { unguarded } : {}),
    ...extraMembers(verdict),
  }
}

/** The modified request: complete, with the same id and method, changed only where the edits are; for Joch a part. */
const modifiedRequest = (
  { call, params, places, flat }: AosStep,
  decided: Decided,
  dialect: AosDialect,
): JsonObject | undefined => {
  const edited = editParams(params, places, decided.verdict.edits, decided.merged.payload as unknown as Json)
  if (edited === undefined) return undefined
  if (dialect === 'joch') return partOf(params, edited)
  const published = dialect === 'published' ? aosMethod(call.method)?.published : undefined
  const whole = { ...call.raw, method: published ?? call.method }
  return flat ? { ...whole, ...edited } : { ...whole, params: edited }
}

/** Members that have changed. */
const changedIn = (before: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name]))

/**
 * Joch returns only the changed part: the inputs of a call, else the changed members of the params. A caller that reads
 * only the inputs would miss another change of a call, so there is no form for that.
 */
const partOf = (params: JsonObject, edited: JsonObject): JsonObject | undefined => {
  const changed = changedIn(params, edited)
  const [before, after] = [params['toolCallRequest'], edited['toolCallRequest']]
  if (!isJsonObject(before) || !isJsonObject(after)) return changed
  const inputs = changedIn(before, after)
  return Object.keys({ ...changed, ...inputs }).every((name) => name === 'inputs' || name === 'toolCallRequest')
    ? inputs
    : undefined
}

interface Parts {
  readonly decision: AosDecision
  readonly message: string
  readonly reasoning?: string
  readonly reasonCodes: readonly string[]
  readonly data: JsonObject
  readonly modified?: JsonObject
}

const inDialect = (
  { decision, message, reasoning, reasonCodes, data, modified }: Parts,
  dialect: AosDialect,
): JsonObject => {
  const codes = reasonCodes.length === 0 ? {} : { reasonCode: reasonCodes }
  const changed = modified === undefined ? {} : { modifiedRequest: modified }
  if (dialect === 'joch') {
    const { policyId, policyVersion } = data
    return {
      decision,
      reason: message,
      ...(policyId === undefined || policyVersion === undefined ? {} : { policyId, policyVersion }),
      ...codes,
      data,
      ...changed,
    }
  }
  return {
    decision,
    message,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...codes,
    data,
    ...changed,
  }
}

/** The reason of a verdict: in observe mode, with the note that it was not carried out. */
const saidOf = ({ reason, observed }: Verdict): string =>
  observed === undefined || observed === 'allow'
    ? reason
    : `Let through: this guard only observes. Its verdict would have been ${observed}. ${reason}`

/**
 * An edit without a place in the request, or a request that cannot be returned: a step that cannot be made safe does
 * not run.
 */
const UNCARRIED = 'The required change does not fit into a modified AOS request, so the step is refused as a whole.'
const ROUNDED =
  'A change is required, and an integer larger than 2^53 cannot be returned exactly, so the step is refused as a whole. Send such numbers as strings.'

/** The result for a verdict (AOS 0.1.0, ASOPSuccessResult). `ask` and `defer` are refusals here. */
export const aosResult = (read: AosStep, decided: Decided, dialect: AosDialect): JsonObject => {
  const { verdict } = decided
  const reason = text(saidOf(verdict))
  const { method } = read.call
  const rounded = verdict.decision === 'modify' && holdsRounded(read.call.raw)
  const modified = verdict.decision === 'modify' && !rounded ? modifiedRequest(read, decided, dialect) : undefined
  const lost = verdict.decision === 'modify' && modified === undefined
  const decision: AosDecision = verdict.decision === 'allow' ? 'allow' : modified === undefined ? 'deny' : 'modify'
  const message = lost
    ? text(`${reason} ${rounded ? ROUNDED : UNCARRIED}`)
    : reason === ''
      ? SENTENCE[decision](method)
      : reason
  return inDialect(
    {
      decision,
      message,
      ...(reason === '' ? {} : { reasoning: reason }),
      reasonCodes: verdict.reasonCodes.map((code) => code.toWellFormed()),
      data: dataOf(decided),
      ...(modified === undefined ? {} : { modified }),
    },
    dialect,
  )
}

/** The result for a step without a verdict: a refusal, because an error would leave it open. */
export const aosRefusal = (reason: string, code: string, dialect: AosDialect): JsonObject =>
  inDialect(
    { decision: 'deny', message: text(reason), reasoning: text(reason), reasonCodes: [code], data: {} },
    dialect,
  )
