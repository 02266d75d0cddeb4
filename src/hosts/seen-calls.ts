import { createBoundedMap } from '../bounded/bounded-map.ts'
import type { BoundedMap } from '../bounded/bounded-map.ts'
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

const printOf = ({ direction, call }: SeenCall): string =>
  JSON.stringify([direction, call?.tool.name ?? null, call?.tool.server ?? null, (call?.input ?? null) as Json])

/** Makes an empty memory. */
export const createSeenCalls = (limits: SeenCallsLimits = SEEN_CALLS_LIMITS): SeenCalls => {
  const sessions = createBoundedMap<string, BoundedMap<string, Kept>>({ most: limits.sessions })
  const weight = { of: ({ print }: Kept): number => print.length, most: limits.sessionSize }

  /** The calls of a session, which becomes the one that was busy last. */
  const open = (id: string): BoundedMap<string, Kept> => {
    const calls = sessions.get(id) ?? createBoundedMap<string, Kept>({ most: limits.calls, weight })
    sessions.set(id, calls)
    return calls
  }

  return Object.freeze<SeenCalls>({
    get(id, key) {
      const found = sessions.get(id)?.get(key)
      return found === undefined || found.torn ? undefined : found.call
    },
    keep(id, key, call) {
      const calls = open(id)
      const print = printOf(call)
      const before = calls.get(key)
      const torn = before !== undefined && !before.answered && (before.torn || before.print !== print)
      if (print.length > limits.inputSize) calls.delete(key)
      else calls.set(key, { call, print, answered: false, torn })
    },
    answered(id, key) {
      const found = sessions.get(id)?.get(key)
      if (found !== undefined) found.answered = true
    },
    refused(id, key) {
      sessions.get(id)?.delete(key)
    },
  })
}
