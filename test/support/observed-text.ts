import type { Observed } from '../../src/evidence/labels/session-labels.ts'
import { NO_EVIDENCE } from '../../src/protocol/evidence.ts'
import type { Step, StepKind } from '../../src/protocol/step.ts'
import { ALLOWED } from './allowed.ts'

/** An allowed step without findings, as the session memory observes it. */
export const observedText = (session: string, kind: StepKind, payload: unknown, at = 0): Observed => {
  const agent = { id: 'main', role: 'main' }
  const step = { id: 'id', host: 'test', event: 'test', at, session: { id: session }, agent, kind, payload } as Step
  return {
    step,
    merged: step,
    effects: NO_EVIDENCE.effects,
    findings: NO_EVIDENCE.findings,
    verdict: ALLOWED,
  }
}
