import type { ModelTurn, RefusedCall, Transcript } from '../../core/model-turns.ts'
import type { Step } from '../../protocol/step.ts'

/** In place of the event of a step: no event of the host reported it. */
const EVENT = 'transcript'

/** A turn as its two steps: the request to the model, and its answer. */
export const stepsOf = (turn: ModelTurn, of: Transcript, host: string, at: number): readonly Step[] => {
  const { id, input, output, usage, stopReason } = turn
  const model = turn.model === undefined ? {} : { model: turn.model }
  const base = {
    host,
    event: EVENT,
    at,
    session: turn.turn === undefined ? of.session : { ...of.session, turn: turn.turn },
    agent: of.agent,
  }
  return [
    { ...base, kind: 'modelRequest', id: `${id}:request`, payload: { ...model, input, callId: id } },
    {
      ...base,
      kind: 'modelResponse',
      id: `${id}:response`,
      payload: {
        ...model,
        output,
        ...(usage === undefined ? {} : { usage }),
        ...(stopReason === undefined ? {} : { stopReason }),
        callId: id,
      },
    },
  ]
}

/** A person's refusal of a call, which the host reports by no event. */
export const refusalStep = ({ callId, words, turn }: RefusedCall, of: Transcript, host: string, at: number): Step => ({
  host,
  event: EVENT,
  at,
  session: turn === undefined ? of.session : { ...of.session, turn },
  agent: of.agent,
  kind: 'notice',
  id: `${callId}:refused`,
  payload: {
    topic: 'permission-refused',
    detail: { tool_use_id: callId, ...(words === undefined ? {} : { words }) },
  },
})
