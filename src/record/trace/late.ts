import type { LateOpinion } from '../../core/late-opinion.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Recorder } from './recorder.ts'

/** What stands of a late opinion in the trace: who said what of which step; the step itself is in its decision. */
const bodyOf = ({ guardian, version, step, opinion, tookMs }: LateOpinion): JsonObject =>
  ({
    guardian,
    version,
    step: { id: step.id, kind: step.kind, host: step.host, event: step.event },
    outcome: opinion.outcome === 'verdict' ? opinion.decision : opinion.why,
    reason: opinion.outcome === 'verdict' ? opinion.reason : opinion.cause,
    findings: opinion.findings ?? [],
    tookMs: Math.round(tookMs),
  }) as unknown as JsonObject

/** Writes what is said of steps after they were decided on: one `StepAudited` each, in the session of the step. */
export const recordLate =
  (recorder: Pick<Recorder, 'recordEvent'>, fault: (error: unknown) => void) =>
  (late: LateOpinion): void => {
    const { session, at } = late.step
    recorder
      .recordEvent({ type: 'StepAudited', session: session.id, at: at + late.tookMs, body: bodyOf(late) })
      .catch(fault)
  }
