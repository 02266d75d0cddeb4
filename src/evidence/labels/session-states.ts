import { createLedger, LEDGER_LIMITS } from './ledger.ts'
import type { Ledger, LedgerLimits } from './ledger.ts'
import type { Name, Speaker } from './names.ts'
import { createSecretMemory } from './secret-memory.ts'
import type { SecretMemory } from './secret-memory.ts'

/** All that is remembered of one session. */
export interface SessionState {
  readonly ledger: Ledger
  readonly secrets: SecretMemory
  /** Labels of the untrusted texts it read, the first ones. */
  readonly sources: Set<string>
  secret: boolean
  pii: boolean
  /** Names of calls that a person was asked about, by call; if the call runs, the person agreed. */
  readonly asked: Map<string, readonly Name[]>
  /** Calls whose results were looked at, so that a batch is not looked at again. */
  readonly seenCalls: Set<string>
  /** The session was dropped to make room and is back: what it had seen is not known. */
  readonly returned: boolean
}

/** How much is remembered. */
export interface StateLimits {
  /** Sessions; the one not used for the longest time goes first. Default 512. */
  readonly sessions?: number
  /** UTF-16 code units of all names of all sessions; a piece of a secret counts as 64. Default 8 Mi, about 40 MB. */
  readonly size?: number
  readonly ledger?: Readonly<Record<Speaker, LedgerLimits>>
}

/** The states of all sessions. */
export interface SessionStates {
  /** The state of a session that has one. */
  get(session: string): SessionState | undefined
  /** The state of a session, made when there is none. */
  open(session: string): SessionState
  /** Drops what is too much; to be called after a state has grown. */
  settle(session: string): void
  readonly count: number
}

/** Ids of dropped sessions that are kept, so that one that comes back is known to have been forgotten. */
const MOST_DROPPED = 65_536

/** Makes the states of all sessions of a guard. */
export const createSessionStates = (key: Uint8Array, limits: StateLimits = {}): SessionStates => {
  const { sessions = 512, size = 8 << 20, ledger = LEDGER_LIMITS } = limits
  const states = new Map<string, SessionState>()
  const sizes = new Map<string, number>()
  const dropped = new Set<string>()
  let droppedForgotten = false
  let held = 0

  const measure = (session: string, now: number): void => {
    held += now - (sizes.get(session) ?? 0)
    sizes.set(session, now)
  }
  const drop = (session: string): void => {
    measure(session, 0)
    sizes.delete(session)
    states.delete(session)
    dropped.add(session)
    const [oldest] = dropped
    if (dropped.size > MOST_DROPPED && oldest !== undefined) {
      dropped.delete(oldest)
      droppedForgotten = true
    }
  }
  const make = (returned: boolean): SessionState => {
    const made = createLedger(ledger)
    if (returned) made.lost('untrusted')
    return {
      ledger: made,
      secrets: createSecretMemory(key),
      sources: new Set(returned ? ['forgotten'] : []),
      secret: false,
      pii: false,
      asked: new Map(),
      seenCalls: new Set(),
      returned,
    }
  }
  const get = (session: string): SessionState | undefined => {
    const state = states.get(session)
    if (state === undefined) return undefined
    states.delete(session)
    states.set(session, state)
    return state
  }
  return Object.freeze<SessionStates>({
    get: (session) => get(session) ?? (dropped.has(session) ? make(true) : undefined),
    open: (session) => {
      const present = get(session)
      if (present !== undefined) return present
      const state = make(droppedForgotten || dropped.has(session))
      dropped.delete(session)
      states.set(session, state)
      return state
    },
    settle: (session) => {
      const state = states.get(session)
      measure(session, state === undefined ? 0 : state.ledger.size + state.secrets.pieces * 64)
      for (const oldest of states.keys()) {
        if ((states.size <= sessions && held <= size) || oldest === session) return
        drop(oldest)
      }
    },
    get count() {
      return states.size
    },
  })
}
