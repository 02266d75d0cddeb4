import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleWhenResult } from 'cockatiel'
import type { Clock } from '../core/clock.ts'
import { aborted } from './aborted.ts'
import type { ClientAnswer } from './exchange.ts'

/** Options of the retry policy for a service that a person waits for. */
export interface RetryPolicyOptions {
  /** Further attempts after the first. */
  readonly retries: number
  /** Milliseconds before the second attempt, doubled for each one after it, and spread so that not all come at once. */
  readonly retryMs: number
  /** Consecutive failures after which the service counts as dead and is not called. */
  readonly breakAfter: number
  /** Milliseconds in which a dead service is not called; then one request may try. */
  readonly breakMs: number
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  /** Called at each attempt after the first. */
  readonly retried?: () => void
}

/**
 * The time after which an answer is useless (milliseconds since the epoch), and a signal that aborts when all waiters
 * have gone.
 */
export interface Deadline {
  readonly until: () => number
  readonly signal: AbortSignal
}

/** Runs an attempt, and retries it as far as the deadline allows. Never rejects. */
export type RetryPolicy = (
  attempt: (signal: AbortSignal) => Promise<ClientAnswer>,
  deadline: Deadline,
) => Promise<ClientAnswer>

/** Statuses that a repeated request may not get (RFC 9110, 15.6; RFC 6585, 4). */
const PASSING = [429, 500, 502, 503, 504]

const TOO_LATE: ClientAnswer = { outcome: 'failed', why: 'timeout', cause: 'no answer in time' }

const passes = (answer: ClientAnswer): boolean =>
  answer.outcome === 'failed' ? answer.why === 'unreachable' : PASSING.includes(answer.status)

const fails = (answer: ClientAnswer): boolean => answer.outcome === 'failed' || passes(answer)

/** Milliseconds to wait according to the service (RFC 9110, 10.2.3); an invalid value is ignored. */
const askedFor = (answer: ClientAnswer, now: number): number => {
  const text = answer.outcome === 'answered' ? (answer.retryAfter ?? '') : ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}

const pause = (ms: number, clock: Clock, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      callOff()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const callOff = clock.after(ms, over)
    signal.addEventListener('abort', over)
  })

/**
 * Creates the retries and the circuit breaker of one service, which keep its state. A retry is made only if, after the wait
 * that the service asks for, an attempt as long as the last one would still meet the deadline.
 */
export const createRetryPolicy = (options: RetryPolicyOptions): RetryPolicy => {
  const { retries, retryMs, breakAfter, breakMs, clock, random, retried } = options
  const breaker = circuitBreaker(
    handleWhenResult((answer) => fails(answer as ClientAnswer)),
    { halfOpenAfter: breakMs, breaker: new ConsecutiveBreaker(breakAfter) },
  )

  const leftAlone: ClientAnswer = {
    outcome: 'failed',
    why: 'unreachable',
    cause: `it failed ${breakAfter} times in a row and is not called for ${breakMs} ms`,
  }

  /**
   * One attempt; `undefined` when the service is not called. While another request tries a dead service, it waits until
   * the last deadline.
   */
  const once = async (
    attempt: (signal: AbortSignal) => Promise<ClientAnswer>,
    { signal }: Deadline,
  ): Promise<ClientAnswer | undefined> => {
    try {
      return await Promise.race([breaker.execute(() => attempt(signal)), aborted(signal).then(() => TOO_LATE)])
    } catch (error) {
      if (error instanceof BrokenCircuitError) return undefined
      return { outcome: 'failed', why: 'invalid', cause: error instanceof Error ? error.name : 'it threw' }
    }
  }

  return async (attempt, deadline) => {
    for (let round = 0; ; round++) {
      const began = clock.now()
      const answer = await once(attempt, deadline)
      if (answer === undefined) return leftAlone
      const now = clock.now()
      const wait = Math.max(retryMs * 2 ** round * (0.5 + random() / 2), askedFor(answer, now))
      const fits = now + wait + (now - began) < deadline.until()
      if (round >= retries || !passes(answer) || !fits || deadline.signal.aborted) return answer
      await pause(wait, clock, deadline.signal)
      if (deadline.signal.aborted) return TOO_LATE
      retried?.()
    }
  }
}
