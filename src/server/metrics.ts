import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ErrorCode } from '../errors/errors.ts'
import type { Step } from '../protocol/step.ts'
import type { Outcome } from '../core/guard.ts'
import type { CountCost } from '../core/late-opinion.ts'
import { createAskingMetrics } from './asking-metrics.ts'

/** What of a decision is counted. */
export type Counted = Pick<Outcome, 'tookMs' | 'verdict'> & { readonly step: Pick<Step, 'host' | 'kind'> }

/** What the guard counts; labels come from closed sets only, so that no caller can grow them. */
export interface Metrics {
  decided(outcome: Counted): void
  rejected(host: string, code: ErrorCode): void
  /** What asking a guardian elsewhere took. */
  readonly count: CountCost
  /** Prometheus text exposition format 0.0.4. */
  expose(): Promise<string>
  readonly contentType: string
}

/** Buckets in seconds: a decision is well under a millisecond, a remote guardian may take seconds. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** Makes the counters of one guard in a registry of its own. */
export const createMetrics = (version: string): Metrics => {
  const registers = [new Registry()]
  const [registry] = registers
  if (registry === undefined) throw new Error('no registry')
  const decisions = new Counter({
    name: 'sallyport_decisions_total',
    help: 'Verdicts given, by host, step kind and decision.',
    labelNames: ['host', 'kind', 'decision'],
    registers,
  })
  const observed = new Counter({
    name: 'sallyport_observed_total',
    help: 'Verdicts that observe mode did not carry out, by what they would have been.',
    labelNames: ['decision'],
    registers,
  })
  const unguarded = new Counter({
    name: 'sallyport_unguarded_total',
    help: 'Steps let through although a guardian had failed, as configured.',
    registers,
  })
  const unenforceable = new Counter({
    name: 'sallyport_unenforceable_total',
    help: 'Verdicts that the host could not carry out.',
    labelNames: ['host', 'kind'],
    registers,
  })
  const rejections = new Counter({
    name: 'sallyport_rejected_total',
    help: 'Requests refused as bad input, by host and error code.',
    labelNames: ['host', 'code'],
    registers,
  })
  const failures = new Counter({
    name: 'sallyport_guardian_failures_total',
    help: 'Times a guardian gave no verdict, by guardian and why.',
    labelNames: ['guardian', 'why'],
    registers,
  })
  const seconds = new Histogram({
    name: 'sallyport_decision_seconds',
    help: 'Time from a step to its verdict, without recording.',
    buckets: SECONDS,
    registers,
  })
  new Gauge({
    name: 'sallyport_build_info',
    help: 'Always 1; the label tells the version.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1)
  return Object.freeze({
    contentType: registry.contentType,
    expose: () => registry.metrics(),
    count: createAskingMetrics(registers),
    rejected: (host: string, code: ErrorCode) => rejections.inc({ host, code }),
    decided({ step, verdict, tookMs }: Counted) {
      decisions.inc({ host: step.host, kind: step.kind, decision: verdict.decision })
      seconds.observe(tookMs / 1000)
      if (verdict.observed !== undefined) observed.inc({ decision: verdict.observed })
      if (verdict.unguarded && verdict.decision !== 'deny') unguarded.inc()
      if (verdict.downgrade?.to === 'unenforceable') unenforceable.inc({ host: step.host, kind: step.kind })
      for (const { guardian, outcome } of verdict.guardians)
        if (outcome === 'timeout' || outcome === 'unreachable' || outcome === 'invalid' || outcome === 'exhausted')
          failures.inc({ guardian, why: outcome })
    },
  })
}
