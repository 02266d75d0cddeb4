import { expect } from 'vitest'
import { z } from 'zod'
import type { TraceEvent } from '../trace.ts'
import type { ClientRun } from './run-client.ts'
import type { Stage } from './stage.ts'

const DECISION = z.looseObject({
  event: z.string(),
  kind: z.string(),
  decision: z.string(),
  observed: z.string().optional(),
  callId: z.string().optional(),
  agent: z.string().optional(),
})

/** A decision as it stands in the trace, flattened to what the tests ask for. */
export type TracedDecision = z.infer<typeof DECISION>

/** The decisions of a trace, in the order they stand there. */
export const decisionsOf = (events: readonly TraceEvent[]): readonly TracedDecision[] =>
  events.filter((event) => event.type === 'HookDecision').map((event) => DECISION.parse(event.body))

/** The hook events that the client itself says it fired, in order. SessionEnd comes after its stream has ended. */
const firedBy = (run: ClientRun): readonly string[] =>
  run.events.flatMap((event) => (event.subtype === 'hook_started' ? [event.hook_event ?? ''] : []))

/**
 * What must hold of every run: the trace verifies, and holds a decision for every hook event that the client fired,
 * in the client's own order. Gives the decisions.
 * @param unheard events that could not reach the guard, by name and how many of the last of them
 */
export const expectTraceOf = async (stage: Stage, run: ClientRun): Promise<readonly TracedDecision[]> => {
  const decisions = decisionsOf(await stage.trace(run.session))
  expect(decisions.map(({ event }) => event)).toEqual([...firedBy(run), 'SessionEnd'])
  return decisions
}
