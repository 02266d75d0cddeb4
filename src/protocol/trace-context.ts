import { hash } from 'node:crypto'
import type { Step } from './step.ts'

/** The caller's place in a distributed trace. */
export interface TraceContext {
  /** 32 hex digits, not all zero. */
  readonly traceId: string
  /** 16 hex digits, not all zero. */
  readonly spanId: string
}

/** The place of a step in a trace: the caller's if known, otherwise derived from the session. */
export interface TracePlace extends TraceContext {
  readonly parentSpanId?: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const ZERO = /^0+$/

/**
 * Reads a `traceparent` (W3C Trace Context level 1, section 3.2). Anything else is `undefined`, as the standard
 * requires.
 */
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

/** Hex digits of a hash; never all zero, which means no id. */
const digits = (text: string, length: number): string => {
  const made = hash('sha256', text).slice(0, length)
  return ZERO.test(made) ? `${made.slice(1)}1` : made
}

/** The members of a step that determine its place in a trace. */
type Placed = Pick<Step, 'host' | 'session' | 'id' | 'trace'>

/** Identifies the trace if the caller did not. The host is one of ours and contains no line break. */
const sessionOf = ({ host, session }: Placed): string => `${host}\n${session.id}`

/** The trace a step belongs to: the caller's, else its session's own, which is a hash, so that a replay has the same. */
export const traceIdOf = (step: Placed): string => step.trace?.traceId ?? digits(sessionOf(step), 32)

/** The place of a step in its trace; its span is a hash of session and step. */
export const tracePlaceOf = (step: Placed): TracePlace => {
  const parentSpanId = step.trace?.parentSpanId
  const place = { traceId: traceIdOf(step), spanId: digits(`${sessionOf(step)}\n${step.id}`, 16) }
  return parentSpanId === undefined ? place : { ...place, parentSpanId }
}

/** The `traceparent` under which a call of ours about this step goes out (W3C Trace Context, 3.2.2). */
export const traceparentOf = (step: Placed): string => {
  const { traceId, spanId } = tracePlaceOf(step)
  return `00-${traceId}-${spanId}-01`
}
