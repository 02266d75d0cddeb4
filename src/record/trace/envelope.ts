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

/**
 * What joins a decision to the traces of others: ids by W3C Trace Context, and who was at work on what. Members that
 * nobody knows are left out.
 */
export const envelopeOf = (step: Step): JsonObject => {
  const { traceId, spanId, parentSpanId } = tracePlaceOf(step)
  const { agentVersion, framework = step.host, tenantId } = step.trace ?? {}
  const envelope: Record<string, string> = { traceId, spanId }
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
  put('timestamp', timeOf(step.at))
  return envelope
}
