import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { CountCost } from '../core/late-opinion.ts'

/** Buckets in seconds of what goes over a network. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts what guardians elsewhere take: time, requests and bytes, and what was saved of them. */
export const createAskingMetrics = (registers: Registry[]): CountCost => {
  const seconds = new Histogram({
    name: 'sallyport_asking_seconds',
    help: 'Time taken by a remote guardian, retries included, by guardian and outcome.',
    labelNames: ['guardian', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const requests = new Counter({
    name: 'sallyport_asking_requests_total',
    help: 'Requests sent to a remote guardian, retries included.',
    labelNames: ['guardian'],
    registers,
  })
  const bytes = new Counter({
    name: 'sallyport_asking_bytes_total',
    help: 'Bytes sent to a remote guardian.',
    labelNames: ['guardian'],
    registers,
  })
  const saved = new Counter({
    name: 'sallyport_asking_saved_total',
    help: 'Requests to a remote guardian that were saved: an equal request was in flight (joined) or recently answered (remembered).',
    labelNames: ['guardian', 'how'],
    registers,
  })
  return (guardian, cost) => {
    if (cost.what !== 'asked') {
      saved.inc({ guardian, how: cost.what })
      return
    }
    seconds.observe({ guardian, outcome: cost.outcome }, cost.tookMs / 1_000)
    requests.inc({ guardian }, cost.requests)
    bytes.inc({ guardian }, cost.bytes)
  }
}
