import { expect } from 'vitest'
import { z } from 'zod'
import type { TraceEvent } from '../trace.ts'
import type { ClientRun } from './run-client.ts'
import type { Stage } from './stage.ts'

const DECISION = z.looseObject({
  step: z.looseObject({
    payload: z.looseObject({ callId: z.string().optional() }),
    event: z.string(),
    kind: z.string(),
    agent: z.looseObject({ id: z.string(), role: z.string(), type: z.string().optional() }),
  }),
  verdict: z.looseObject({ decision: z.string(), observed: z.string().optional(), reason: z.string() }),
})

/** A decision as recorded in the trace, reduced to the members that tests check. */
export interface TracedDecision {
  readonly event: string
  readonly kind: string
  readonly agent: { readonly id: string; readonly role: string; readonly type?: string | undefined }
  /** The client's id of the tool call. */
  readonly callId: string | undefined
  readonly decision: string
  readonly observed: string | undefined
  readonly reason: string
}

/** The decisions of a trace, in its order. */
export const decisionsOf = (events: readonly TraceEvent[]): readonly TracedDecision[] =>
  events
    .filter((event) => event.type === 'HookDecision')
    .map((event) => {
      const { step, verdict } = DECISION.parse(event.body)
      const { event: name, kind, agent, payload } = step
      return {
        callId: payload.callId,
        event: name,
        kind,
        agent,
        decision: verdict.decision,
        observed: verdict.observed,
        reason: verdict.reason,
      }
    })

/** Events whose hooks the client does not show in its stream, and those that are read from its transcripts. */
const UNSTREAMED = ['CwdChanged', 'InstructionsLoaded', 'transcript']

/**
 * The hook events that the client itself says it fired, in order. SessionEnd comes after its stream has ended. A prompt
 * has two hooks, the guard and the gate beside it, and only the guard records.
 */
const firedBy = (run: ClientRun): readonly string[] =>
  run.events
    .flatMap((event) => (event.subtype === 'hook_started' ? [event.hook_event ?? ''] : []))
    .filter((name, place, all) => name !== 'UserPromptSubmit' || all[place - 1] !== name)

/**
 * What must hold of every run: the trace verifies, and holds a decision for every hook event that the client fired,
 * in the client's own order; of agents that work at the same time the client fires hooks side by side, and only each of
 * them is held to be there. Gives the decisions.
 */
export const expectTraceOf = async (
  stage: Stage,
  run: ClientRun,
  order: 'in order' | 'side by side' = 'in order',
): Promise<readonly TracedDecision[]> => {
  const decisions = decisionsOf(await stage.trace(run.session))
  const heard = decisions.map(({ event }) => event).filter((name) => !UNSTREAMED.includes(name))
  const fired = [...firedBy(run), 'SessionEnd']
  if (order === 'in order') expect(heard).toEqual(fired)
  else expect(heard.toSorted()).toEqual(fired.toSorted())
  return decisions
}
