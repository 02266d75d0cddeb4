import type { JsonObject } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'
import { tracePlaceOf } from '../../protocol/trace-context.ts'

/** The call that a step is about, by the host's own id. */
const executionOf = ({ payload }: Step): string | undefined =>
  'callId' in payload && typeof payload.callId === 'string' ? payload.callId : undefined

const modelOf = (step: Step): string | undefined =>
  'model' in step.payload && typeof step.payload.model === 'string' ? step.payload.model : step.trace?.modelRef

const timeOf = (at: number): string | undefined => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** An envelope: the data of a step, and generated members without any of it. */
export interface Envelope {
  readonly stated: JsonObject
  /** Never masked: a hash may look like anything, and would no longer match. */
  readonly made: JsonObject
}

/**
 * The ids that link a decision to the traces of others, by W3C Trace Context, and its agent and subject. Unknown
 * members are omitted.
 */
export const envelopeOf = (step: Step): Envelope => {
  const { traceId, spanId, parentSpanId } = tracePlaceOf(step)
  const { agentVersion, framework = step.host, tenantId } = step.trace ?? {}
  const envelope: Record<string, string> = { traceId }
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined) envelope[name] = value
  }
  put('parentSpanId', parentSpanId)
  put('executionId', executionOf(step))
  put('agentRef', step.agent.id)
  put('agentVersion', agentVersion)
  put('framework', framework)
  put('modelRef', modelOf(step))
  put('tenantId', tenantId)
  put('turnId', step.session.turn)
  put('stepId', step.id)
  const timestamp = timeOf(step.at)
  return { stated: envelope, made: { spanId, ...(timestamp === undefined ? {} : { timestamp }) } }
}
