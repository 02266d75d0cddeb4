import type { Json } from '../protocol/json.ts'
import type { SeenCall } from '../protocol/seen-call.ts'

/** The calls whose results have not come yet, of every session. */
export interface SeenCalls {
  /** The call under a key; `undefined` when none is known or two different ones are. */
  get(session: string, key: string): SeenCall | undefined
  /** A call was let through. */
  keep(session: string, key: string, call: SeenCall): void
  /** Its result was let through: the key may stand for another call from now on. */
  answered(session: string, key: string): void
  /** A call was refused: a result under its key is not that of a call before it. */
  refused(session: string, key: string): void
}

export interface SeenCallsLimits {
  /** Of all sessions; the one that was quiet longest is forgotten first. */
  readonly sessions: number
  /** Of one session; the oldest are forgotten first. */
  readonly calls: number
  /** Of one call's input and of one session's inputs together, in UTF-16 code units. A larger one is not kept. */
  readonly inputSize: number
  readonly sessionSize: number
}

/** At most 256 MB when everything is full, of callers who try. */
const SEEN_CALLS_LIMITS: SeenCallsLimits = {
  sessions: 1_000,
  calls: 256,
  inputSize: 65_536,
  sessionSize: 131_072,
}

interface Kept {
  readonly call: SeenCall
  readonly print: string
  answered: boolean
  /** Two calls go by this key: nobody knows whose result comes. */
  torn: boolean
}

interface SessionCalls {
  readonly kept: Map<string, Kept>
  size: number
}

const printOf = ({ direction, call }: SeenCall): string =>
  JSON.stringify([direction, call?.tool.name ?? null, call?.tool.server ?? null, (call?.input ?? null) as Json])

/** Makes an empty memory. */
export const createSeenCalls = (limits: SeenCallsLimits = SEEN_CALLS_LIMITS): SeenCalls => {
  const sessions = new Map<string, SessionCalls>()

  const forgetOldest = (session: SessionCalls): void => {
    const [oldest] = session.kept
    if (oldest === undefined) return
    session.kept.delete(oldest[0])
    session.size -= oldest[1].print.length
  }

  /** The session, as the one that was busy last. */
  const open = (id: string): SessionCalls => {
    const session = sessions.get(id) ?? { kept: new Map(), size: 0 }
    sessions.delete(id)
    sessions.set(id, session)
    const [quiet] = sessions.keys()
    if (sessions.size > limits.sessions && quiet !== undefined) sessions.delete(quiet)
    return session
  }

  return Object.freeze<SeenCalls>({
    get(id, key) {
      const found = sessions.get(id)?.kept.get(key)
      return found === undefined || found.torn ? undefined : found.call
    },
    keep(id, key, call) {
      const session = open(id)
      const print = printOf(call)
      const before = session.kept.get(key)
      const torn = before !== undefined && !before.answered && (before.torn || before.print !== print)
      if (before !== undefined) {
        session.kept.delete(key)
        session.size -= before.print.length
      }
      if (print.length > limits.inputSize) return
      session.kept.set(key, { call, print, answered: false, torn })
      session.size += print.length
      while (session.kept.size > limits.calls || session.size > limits.sessionSize) forgetOldest(session)
    },
    answered(id, key) {
      const found = sessions.get(id)?.kept.get(key)
      if (found !== undefined) found.answered = true
    },
    refused(id, key) {
      const session = sessions.get(id)
      const found = session?.kept.get(key)
      if (session === undefined || found === undefined) return
      session.kept.delete(key)
      session.size -= found.print.length
    },
  })
}
