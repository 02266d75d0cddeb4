import { hash } from 'node:crypto'
import type { Step } from './step.ts'

/** The caller's place in a distributed trace. */
export interface TraceContext {
  /** 32 hex digits, not all zero. */
  readonly traceId: string
  /** 16 hex digits, not all zero. */
  readonly spanId: string
}

/** The place of a step in a trace: the caller's where it told one, else one made from the session. */
export interface TracePlace extends TraceContext {
  readonly parentSpanId?: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const ZERO = /^0+$/

/** Reads a `traceparent` (W3C Trace Context level 1, section 3.2). Anything else is `undefined`, as the standard wants. */
export const readTraceparent = (header: unknown): TraceContext | undefined => {
  if (typeof header !== 'string' || header.length > 512) return undefined
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || traceId === undefined || spanId === undefined) return undefined
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return ZERO.test(traceId) || ZERO.test(spanId) ? undefined : { traceId, spanId }
}

/** A step with the place that came beside it, unless it has one. */
export const traced = <S extends Step>(step: S, header: string | undefined): S => {
  const context = step.trace?.traceId === undefined ? readTraceparent(header) : undefined
  return context === undefined
    ? step
    : { ...step, trace: { ...step.trace, traceId: context.traceId, parentSpanId: context.spanId } }
}

/** Hex digits of a hash; never all zero, which stands for no id. */
const digits = (text: string, length: number): string => {
  const made = hash('sha256', text).slice(0, length)
  return ZERO.test(made) ? `${made.slice(1)}1` : made
}

/**
 * Where a step stands in a trace. Ids that nobody told are hashes of the host, session and step, so that a replay and
 * every exporter give the same ones.
 */
export const tracePlaceOf = ({
  host,
  session,
  id,
  trace,
}: Pick<Step, 'host' | 'session' | 'id' | 'trace'>): TracePlace => {
  const of = JSON.stringify([host, session.id])
  const { traceId = digits(of, 32), parentSpanId } = trace ?? {}
  const spanId = digits(`${of}${id}`, 16)
  return { traceId, spanId, ...(parentSpanId === undefined ? {} : { parentSpanId }) }
}

/** The `traceparent` under which a call of ours about this step goes out (W3C Trace Context, 3.2.2). */
export const traceparentOf = (step: Pick<Step, 'host' | 'session' | 'id' | 'trace'>): string => {
  const { traceId, spanId } = tracePlaceOf(step)
  return `00-${traceId}-${spanId}-01`
}
