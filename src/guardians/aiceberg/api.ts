import { isObject } from '../../protocol/json.ts'

/**
 * The event API of Aiceberg as its documentation has it (docs.aiceberg.ai, "How do I use the API", read in 2026): one
 * address for creating and updating. Members of the answer other than `event_id` and `event_result` are not documented.
 */
export const EVENT_PATH = '/eap/v1/event'

/** Kinds of events, by sender and receiver of the text. */
export type EventType = 'user_agt' | 'agt_llm' | 'agt_tool' | 'agt_mem' | 'agt_agt'

/** The scope of an evaluation: one of the two, never both. */
export type Scope = { readonly use_case_id: string } | { readonly profile_id: string }

/** The session data of an event. */
export interface EventLabels {
  readonly session_id: string
  readonly session_start?: true
  readonly session_end?: true
  readonly session_status?: 'finished'
  readonly metadata: {
    readonly user_id: string
    readonly step_id: string
    readonly hook_event_name: string
    readonly agent_id: string
    /** The revision of a step that was changed in between, from 2. */
    readonly revision?: number
  }
}

/** The service's answer on an event. */
export interface EventAnswer {
  readonly eventId: string
  readonly result: string
  readonly reason?: string
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 300).toWellFormed() : undefined

/** Reads an answer; `undefined` for one without an id or a result. */
export const readAnswer = (body: string): EventAnswer | undefined => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const eventId = text(value['event_id'])
  const result = text(value['event_result'])
  if (eventId === undefined || result === undefined) return undefined
  const reason = [text(value['policy']), text(value['reason'])].filter((one) => one !== undefined).join(': ')
  return { eventId, result, ...(reason === '' ? {} : { reason }) }
}

/** The service's error message, shortened; `undefined` without one. */
export const errorIn = (body: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    if (!isObject(value)) return undefined
    const message = [value['error'], value['details'], value['message']].find((one) => typeof one === 'string')
    return typeof message === 'string' ? message.replaceAll(/[^ -~]/g, '?').slice(0, 100) : undefined
  } catch {
    return undefined
  }
}
