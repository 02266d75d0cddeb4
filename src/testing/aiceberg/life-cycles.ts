import { isObject } from '../../protocol/json.ts'
import type { AicebergRequest } from './request.ts'

/** A request that the service accepted. */
export interface AicebergTold {
  readonly request: AicebergRequest
  /** The id in its answer: of a new event, or of the updated one. */
  readonly eventId: string
}

/** Faults in the life of an event or of a session; docs/guardians/aiceberg.md describes each. */
export type LifeCycleFaultName =
  | 'no-session'
  | 'no-step'
  | 'created-twice'
  | 'update-unknown'
  | 'update-elsewhere'
  | 'update-void'
  | 'closed-twice'
  | 'output-changed'
  | 'left-open'
  | 'start-missing'
  | 'start-late'
  | 'started-twice'
  | 'end-missing'
  | 'ended-twice'
  | 'end-unfinished'
  | 'after-end'

/** A fault, and its place. */
export interface LifeCycleFault {
  readonly fault: LifeCycleFaultName
  readonly session: string | undefined
  readonly eventId?: string
  readonly step?: string
}

export interface LifeCycleOptions {
  /** All sessions have ended (default): a missing end is a fault. Otherwise they may be in progress. */
  readonly over?: boolean
}

/** The history of an event. */
interface Life {
  readonly eventId: string
  readonly session: string
  readonly step: string
  readonly type: string
  readonly input: string
  readonly agent: string
  readonly attempt: number
  readonly starts: boolean
  output: string | undefined
  closings: number
  /** It was reported again under another id, because this one is unknown. */
  isVoid: boolean
}

interface SessionLife {
  readonly lives: Life[]
  /** The step that ended the session. */
  end: { readonly step: string; readonly eventId: string; readonly isCreate: boolean } | undefined
}

const stringOf = (metadata: AicebergRequest['metadata'], name: string): string => {
  const value = metadata?.[name]
  return typeof value === 'string' ? value : ''
}

const countOf = (metadata: AicebergRequest['metadata'], name: string): number => {
  const value = metadata?.[name]
  return typeof value === 'number' ? value : 1
}

/** The call of an event, if any. */
const callOf = (input: string): string | undefined => {
  if (!input.startsWith('{"tool_name"')) return undefined
  try {
    const value: unknown = JSON.parse(input)
    return isObject(value) && typeof value['tool_call_id'] === 'string' ? value['tool_call_id'] : undefined
  } catch {
    return undefined
  }
}

/**
 * Faults in the lives of events and sessions, in the order of their detection; none for a correct client.
 *
 * An event is created once and closed once, by an update or by an output of its own. The first event of a session marks
 * its start, and its last request marks its end, when all its events are closed. Clients declare what they cannot know:
 * `metadata.attempt` counts repeated requests, when an earlier one may or may not have arrived, and the last one
 * counts; `metadata.revision` counts the reported forms of one step that was changed in between.
 */
export const lifeCycleFaults = (
  told: readonly AicebergTold[],
  { over = true }: LifeCycleOptions = {},
): readonly LifeCycleFault[] => {
  const faults: LifeCycleFault[] = []
  const sessions = new Map<string, SessionLife>()
  const byEvent = new Map<string, Life>()
  /** The life that counts, by its subject. */
  const byThing = new Map<string, Life>()
  const add = (fault: LifeCycleFaultName, session: string | undefined, life?: Pick<Life, 'eventId' | 'step'>): void => {
    faults.push({ fault, session, ...(life === undefined ? {} : { eventId: life.eventId, step: life.step }) })
  }

  const ends = (request: AicebergRequest, session: string, of: { eventId: string; step: string }): void => {
    const isEnd = request.session_end === true
    if (isEnd !== (request.session_status === 'finished')) add('end-unfinished', session, of)
    const known = sessions.get(session)
    if (known === undefined) return
    const isCreate = request.event_id === undefined
    if (known.end !== undefined) {
      const isAgain =
        countOf(request.metadata, 'attempt') > 1 &&
        (isCreate ? known.end.isCreate && known.end.step === of.step : known.end.eventId === of.eventId)
      if (!isAgain) add(isEnd ? 'ended-twice' : 'after-end', session, of)
      else known.end = { ...of, isCreate }
      return
    }
    if (!isEnd) return
    known.end = { ...of, isCreate }
    for (const life of known.lives) if (!life.isVoid && life.output === undefined) add('left-open', session, life)
  }

  const isSamePrompt = (life: Life, other: Life): boolean =>
    other.type === 'user_agt' &&
    !other.isVoid &&
    other.output === undefined &&
    other.agent === life.agent &&
    other.input === life.input

  const create = ({ request, eventId }: AicebergTold, session: string): void => {
    const { metadata, input = '', output, event_type: type = 'user_llm' } = request
    const step = stringOf(metadata, 'step_id')
    const known = sessions.get(session) ?? { lives: [], end: undefined }
    sessions.set(session, known)
    const life: Life = {
      eventId,
      session,
      step,
      type,
      input,
      agent: stringOf(metadata, 'agent_id'),
      attempt: countOf(metadata, 'attempt'),
      starts: request.session_start === true,
      output,
      closings: output === undefined ? 0 : 1,
      isVoid: false,
    }
    if (step === '') add('no-step', session, life)
    const revision = countOf(metadata, 'revision')
    const call = callOf(input)
    const things = [`step ${step} ${type} ${revision}`, ...(call === undefined ? [] : [`call ${call} ${revision}`])]
    for (const thing of things.map((one) => `${session}\n${one}`)) {
      const before = byThing.get(thing)
      byThing.set(thing, life)
      if (before === undefined || before.isVoid) continue
      // A client that has closed it knows its id, and has no reason to report it again.
      if (life.attempt <= before.attempt || (before.closings > 0 && output === undefined))
        add('created-twice', session, life)
      before.isVoid = true
    }
    if (type === 'user_agt' && known.lives.some((other) => isSamePrompt(life, other)))
      add('created-twice', session, life)
    known.lives.push(life)
    byEvent.set(eventId, life)
    ends(request, session, life)
  }

  const update = ({ request, eventId }: AicebergTold, session: string): void => {
    const life = byEvent.get(eventId)
    const { output, metadata, event_type: type } = request
    if (life === undefined) return add('update-unknown', session, { eventId, step: stringOf(metadata, 'step_id') })
    if (life.session !== session || (type !== undefined && type !== life.type)) add('update-elsewhere', session, life)
    if (life.isVoid) add('update-void', session, life)
    const attempt = countOf(metadata, 'attempt')
    if (life.closings > 0 && attempt < 2) add('closed-twice', session, life)
    else if (life.closings > 0 && output !== life.output) add('output-changed', session, life)
    if (life.closings === 0 || attempt < 2) life.closings++
    life.output = output
    ends(request, session, life)
  }

  for (const one of told) {
    const { session_id: session } = one.request
    if (session === undefined) add('no-session', undefined, { eventId: one.eventId, step: '' })
    else if (one.request.event_id === undefined) create(one, session)
    else update(one, session)
  }
  for (const [session, { lives, end }] of sessions) {
    const counting = lives.filter(({ isVoid }) => !isVoid)
    const starting = counting.filter(({ starts }) => starts)
    if (starting.length === 0) add('start-missing', session)
    if (starting.length > 1) add('started-twice', session, starting[1])
    if (starting.length > 0 && counting[0]?.starts !== true) add('start-late', session, starting[0])
    if (!over || end !== undefined) continue
    for (const life of counting) if (life.output === undefined) add('left-open', session, life)
    add('end-missing', session)
  }
  return faults
}
