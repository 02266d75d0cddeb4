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
  const members = {
    traceId,
    spanId,
    parentSpanId,
    executionId: executionOf(step),
    agentRef: step.agent.id,
    agentVersion,
    framework,
    modelRef: modelOf(step),
    tenantId,
    turnId: step.session.turn,
    stepId: step.id,
    timestamp: timeOf(step.at),
  }
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
