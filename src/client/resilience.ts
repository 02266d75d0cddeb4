import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  ConstantBackoff,
  handleWhenResult,
  retry,
  wrap,
} from 'cockatiel'
import type { ClientAnswer } from './exchange.ts'

/** Retries and circuit breaker of a peer. */
export interface ResilienceOptions {
  /** Further attempts after the first, if the peer could not be reached at all. */
  readonly retries: number
  /** Milliseconds between two attempts. */
  readonly retryMs: number
  /** Consecutive failures after which the peer counts as dead and is not called. */
  readonly breakAfter: number
  /** Milliseconds in which a dead peer is not called; then one request may try. */
  readonly breakMs: number
}

/** Runs an attempt, with retries. Never rejects. */
export type Resilience = (
  attempt: (signal: AbortSignal) => Promise<ClientAnswer>,
  signal: AbortSignal,
) => Promise<ClientAnswer>

/** Statuses of a gateway whose peer is missing. */
const GATEWAY = [502, 503, 504]

const unreached = (answer: unknown): boolean => {
  const { outcome, why, status } = answer as { outcome: string; why?: string; status?: number }
  return outcome === 'failed' ? why === 'unreachable' : GATEWAY.includes(status ?? 0)
}

const dead = (answer: unknown): boolean => unreached(answer) || (answer as ClientAnswer).outcome === 'failed'

/** Creates the retries and the circuit breaker of one peer, which keep its state. */
export const createResilience = ({ retries, retryMs, breakAfter, breakMs }: ResilienceOptions): Resilience => {
  const breaker = circuitBreaker(handleWhenResult(dead), {
    halfOpenAfter: breakMs,
    breaker: new ConsecutiveBreaker(breakAfter),
  })
  const policy = wrap(
    retry(handleWhenResult(unreached), { maxAttempts: retries, backoff: new ConstantBackoff(retryMs) }),
    breaker,
  )
  return async (attempt, signal) => {
    try {
      return await policy.execute(({ signal: abort }) => attempt(abort), signal)
    } catch (error) {
      if (signal.aborted) return { outcome: 'failed', why: 'timeout', cause: 'no answer in time' }
      if (error instanceof BrokenCircuitError)
        return {
          outcome: 'failed',
          why: 'unreachable',
          cause: `it failed ${breakAfter} times in a row and is not called for ${breakMs} ms`,
        }
      return { outcome: 'failed', why: 'invalid', cause: error instanceof Error ? error.name : 'it threw' }
    }
  }
}
