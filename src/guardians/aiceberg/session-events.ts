import { hash } from 'node:crypto'
import type { Patience } from '../../client/fitting.ts'
import type { Clock } from '../../core/clock.ts'
import type { Step } from '../../protocol/step.ts'
import type { OpenEvent, OpenEvents } from '../../record/open-events/open-events.ts'
import type { EventLabels, EventType } from './api.ts'
import type { EventClient, Told } from './event-client.ts'
import type { Sending } from './sendings.ts'

export interface SessionEventsOptions {
  readonly client: EventClient
  readonly events: OpenEvents
  readonly clock: Clock
  /** Stands for the person where the host names none. */
  readonly userId: string
  /** An id as it may leave the machine. */
  readonly label: (id: string) => string
}

/** The events of sessions: each that is opened is closed, by its own update or with its session. */
export interface SessionEvents {
  tell(sending: Sending, step: Step, patience: Patience): Promise<Told | undefined>
  /** Closes what is open of a session that is over. Resolves to whether all of it is. */
  conclude(session: string, patience: Patience): Promise<boolean>
  /** Milliseconds since the epoch at which something was last told of a session. */
  lastToldAt(session: string): number
}

/** What was told of a session last, to tell it again with the session's end. */
interface Last {
  readonly eventId: string
  readonly type: EventType
  readonly input: string
  readonly output: string
}

/** Sessions whose last event is held in memory. */
const SESSIONS = 256

const answerFrom = ({ eventId, result, reason }: OpenEvent): Told => ({
  outcome: 'answered',
  answer: { eventId, result, ...(reason === undefined ? {} : { reason }) },
})

const putNewest = <T>(map: Map<string, T>, key: string, value: T): void => {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= SESSIONS) return
    map.delete(oldest)
  }
}

/** Makes the events of sessions over a client and a store. */
export const createSessionEvents = ({ client, events, clock, userId, label }: SessionEventsOptions): SessionEvents => {
  const last = new Map<string, Last>()
  const toldAt = new Map<string, number>()
  /** Sessions whose first event is on its way. */
  const starting = new Set<string>()

  const labelsOf = ({ id, event, session, agent }: Pick<Step, 'id' | 'event' | 'session' | 'agent'>): EventLabels => ({
    session_id: label(session.id),
    metadata: {
      user_id: label(session.user ?? userId),
      step_id: label(id),
      hook_event_name: event,
      agent_id: label(agent.id),
    },
  })

  /** Tells of a new event, and that the session begins where it is the first. */
  const begin = async (
    telling: { readonly type: EventType; readonly input: string; readonly output?: string },
    step: Step,
    patience: Patience,
  ): Promise<Told> => {
    const { id } = step.session
    const isFirst = !starting.has(id) && !events.isBegun(id)
    if (isFirst) starting.add(id)
    try {
      return await client.tell(telling, { ...labelsOf(step), ...(isFirst ? { session_start: true } : {}) }, patience)
    } finally {
      starting.delete(id)
    }
  }

  const opened = (sending: { key: string; type: EventType }, step: Step, digest: string, told: Told): void => {
    if (told.outcome === 'failed') return
    const { key, type } = sending
    events.opened({ session: step.session.id, key, type, digest, ...told.answer }, clock.now())
  }

  const update = async (
    event: OpenEvent,
    { input, output, again = false }: { readonly input: string; readonly output: string; readonly again?: boolean },
    labels: EventLabels,
    patience: Patience,
  ): Promise<Told> => {
    const { eventId, type, session, key } = event
    const told = await client.tell({ eventId, type: type as EventType, input, output }, labels, patience)
    if (told.outcome === 'failed') return told
    events.closed(session, key, again)
    putNewest(last, session, { eventId, type: type as EventType, input, output })
    return told
  }

  const create = async (
    sending: Extract<Sending, { act: 'create' }>,
    step: Step,
    patience: Patience,
  ): Promise<Told> => {
    const { key, input, byText = false } = sending
    const session = step.session.id
    const digest = hash('sha256', byText ? input : `${step.id}\n${input}`).slice(0, 32)
    const before = events.get(session, key)
    const isOpen = before !== undefined && events.open(session).some((one) => one.key === key)
    // It was told at another hook, or by a guard that was then killed.
    if (before?.digest === digest && (isOpen || !byText)) return answerFrom(before)
    if (isOpen) await update(before, { input: '(not seen)', output: '(replaced by another)' }, labelsOf(step), patience)
    const told = await begin(sending, step, patience)
    opened(sending, step, digest, told)
    return told
  }

  const close = async (
    sending: Extract<Sending, { act: 'update' }>,
    step: Step,
    patience: Patience,
  ): Promise<Told | undefined> => {
    const event = events.get(step.session.id, sending.key)
    if (event !== undefined) return update(event, sending, labelsOf(step), patience)
    if (sending.onlyOpen === true) return undefined
    const { type, input, output } = sending
    return begin({ type, input, output }, step, patience)
  }

  const perform = (sending: Sending, step: Step, patience: Patience): Promise<Told | undefined> => {
    switch (sending.act) {
      case 'create':
        return create(sending, step, patience)
      case 'update':
        return close(sending, step, patience)
      case 'once': {
        const { type, input, output } = sending
        return begin({ type, input, output }, step, patience)
      }
      default:
        return sending satisfies never
    }
  }

  const endLabels = (session: string, isLast: boolean): EventLabels => ({
    ...labelsOf({
      id: 'session-end',
      event: 'SessionEnd',
      session: { id: session },
      agent: { id: 'main', role: 'main' },
    }),
    ...(isLast ? { session_end: true, session_status: 'finished' } : {}),
  })

  return Object.freeze<SessionEvents>({
    tell(sending, step, patience) {
      putNewest(toldAt, step.session.id, clock.now())
      return perform(sending, step, patience)
    },
    async conclude(session, patience) {
      const open = events.open(session)
      for (const [index, event] of open.entries()) {
        const texts = { input: '(not seen)', output: '(the session ended)' }
        const told = await update(event, texts, endLabels(session, index === open.length - 1), patience)
        if (told.outcome === 'failed') return false
      }
      const known = last.get(session)
      if (open.length === 0 && known !== undefined) await client.tell(known, endLabels(session, true), patience)
      events.forget(session)
      last.delete(session)
      return true
    },
    lastToldAt: (session) => toldAt.get(session) ?? 0,
  })
}
