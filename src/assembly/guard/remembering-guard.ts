import type { Guard, Outcome } from '../../core/guard.ts'
import type { SessionLabels } from '../../evidence/labels/session-labels.ts'
import type { Effect, Finding } from '../../protocol/evidence.ts'
import type { Step, StepOf } from '../../protocol/step.ts'
import type { Verdict } from '../../protocol/verdict.ts'

/** Options of a guard with a memory. */
export interface RememberingOptions {
  readonly guard: Guard
  readonly labels: SessionLabels
  /** The effects of the call that a result belongs to. */
  readonly effectsOf: (result: ToolResult) => readonly Effect[]
  /** Called with every decision. */
  readonly decided?: (step: Step, verdict: Verdict) => void
}

/** A step about the result of a tool call. */
export type ToolResult = StepOf<'toolCallResult'>

/** The call of a result. */
export const requestOf = ({ payload: { tool, input }, ...rest }: ToolResult): Step => ({
  ...rest,
  kind: 'toolCallRequest',
  payload: { tool, input },
})

/** One call of a batch as a result of its own. */
export const resultsOf = (step: StepOf<'toolResultBatch'>): readonly ToolResult[] =>
  step.payload.calls.map((call) => ({ ...step, kind: 'toolCallResult', payload: { ...call, status: 'succeeded' } }))

/** The findings of one call of a batch, their pointers as in a result of its own. */
const findingsOf = (findings: readonly Finding[], index: number): readonly Finding[] => {
  const lead = `/calls/${index}/output`
  return findings
    .filter(({ span }) => span.pointer === lead || span.pointer.startsWith(`${lead}/`))
    .map((finding) => ({
      ...finding,
      span: { ...finding.span, pointer: `/output${finding.span.pointer.slice(lead.length)}` },
    }))
}

/** A guard whose every decision is recorded in the sessions' memory, just before it is returned. */
export const createRememberingGuard = ({ guard, labels, effectsOf, decided }: RememberingOptions): Guard => {
  const observeBatch = (outcome: Outcome, step: StepOf<'toolResultBatch'>, merged: Step): void => {
    if (merged.kind !== 'toolResultBatch') return
    const after = resultsOf(merged)
    for (const [index, before] of resultsOf(step).entries()) {
      const { callId } = before.payload
      if (callId !== undefined && labels.hasSeen(step.session.id, callId)) continue
      labels.observe({
        step: before,
        merged: after[index] ?? before,
        verdict: outcome.verdict,
        effects: effectsOf(before),
        findings: findingsOf(outcome.evidence.findings, index),
      })
    }
  }

  const observe = (outcome: Outcome): Outcome => {
    const { step, merged, verdict, evidence } = outcome
    decided?.(step, verdict)
    try {
      if (step.kind === 'toolResultBatch') observeBatch(outcome, step, merged)
      else {
        const effects = step.kind === 'toolCallResult' ? effectsOf(step) : evidence.effects
        const { findings, sideEffect } = evidence
        labels.observe({
          step,
          merged,
          verdict,
          effects,
          findings,
          ...(sideEffect === undefined ? {} : { sideEffect }),
        })
      }
    } catch {
      // A failed memory may have missed anything: the worst is assumed.
      labels.give(step.session.id, ['untrusted', 'secret', 'injected'], step.at)
    }
    return outcome
  }

  return Object.freeze<Guard>({
    decide: async (step, power) => observe(await guard.decide(step, power)),
    decideNow: (step, power) => observe(guard.decideNow(step, power)),
  })
}
