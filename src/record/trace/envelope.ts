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

/** An envelope: what was told of a step, and what is made here and holds nothing of what was told. */
export interface Envelope {
  readonly told: JsonObject
  /** Never masked: a hash may look like anything, and would join nothing any more. */
  readonly made: JsonObject
}

/**
 * What joins a decision to the traces of others: ids by W3C Trace Context, and who was at work on what. Members that
 * nobody knows are left out.
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
  return { told: envelope, made: { spanId, ...(timestamp === undefined ? {} : { timestamp }) } }
}
