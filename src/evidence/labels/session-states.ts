import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Step } from '../../protocol/step.ts'
import type { Digest } from './digest.ts'
import type { LabelJournal } from './label-journal.ts'
import { sessionOwner } from './label-store.ts'
import type { Kept, LabelStore } from './label-store.ts'
import type { NameOriginsLimits } from './name-origins.ts'
import { createSessionState } from './session-state.ts'
import type { SessionState } from './session-state.ts'

/** How much is remembered at once; the rest waits in the store. */
export interface StateLimits {
  /** Sessions; the one not used for the longest time goes first. Default 512. */
  readonly sessions?: number
  /** Of all sessions, about, in UTF-16 code units. Default 16 Mi. */
  readonly size?: number
  readonly nameOrigins?: NameOriginsLimits
}

/** A step, or a mere question about a session. */
type Asked = Pick<Step, 'session' | 'at'> | Step

/** The states of all sessions. */
export interface SessionStates {
  /** The state of a step's session, if anything is known of it. */
  get(step: Asked): SessionState | undefined
  /** The same; creates it if necessary. */
  open(step: Asked): SessionState
  /** Drops the excess; called after a state has grown. */
  settle(session: string): void
  /** The state of an owner that is in memory. */
  held(owner: string): SessionState | undefined
}

/** What the states are made of. */
export interface SessionStatesOptions {
  readonly key: Uint8Array
  readonly digest: Digest
  readonly store: Pick<LabelStore, 'get' | 'isStale'>
  readonly journal: LabelJournal
  readonly limits?: StateLimits
  /** Told of a session whose past cannot be known, and why. */
  readonly lost?: (session: string, why: string) => void
  /** Names this run of the guard, where several threads of it keep one memory. */
  readonly run?: string
  /** Milliseconds that an injection counts. */
  readonly injectionTtlMs: number
}

/** Events after which a session continues under an unknown name, with what it had seen. */
const GOES_ON: ReadonlySet<string> = new Set(['resume', 'compact', 'fork'])

const begins = (step: Asked): 'anew' | 'midway' | 'unknown' => {
  if (!('kind' in step) || step.kind !== 'sessionStart') return 'unknown'
  return GOES_ON.has(step.payload.source) ? 'midway' : 'anew'
}

/** Why nothing is certain about a session without readable facts; `undefined` when it is new. */
const whyLost = (kept: Exclude<Kept, { readonly outcome: 'kept' }>, step: Asked): string | undefined => {
  switch (kept.outcome) {
    case 'none':
      return begins(step) === 'midway' ? 'it was resumed, and began without this guard' : undefined
    case 'forgotten':
      if (kept.certain) return 'it was dropped to make room for others'
      return begins(step) === 'anew' ? undefined : 'it may be one of those of which nothing is left'
    case 'unreadable':
      return `what was kept of it cannot be read (${kept.why})`
    default:
      return kept satisfies never
  }
}

/** Makes the states of all sessions of a guard. */
export const createSessionStates = (options: SessionStatesOptions): SessionStates => {
  const { key, digest, store, journal, limits = {}, lost, run, injectionTtlMs } = options
  const { sessions = 512, size = 16 << 20, nameOrigins } = limits
  /** The owner that was asked for last. */
  let current = ''
  /** By owner. */
  const states = createBoundedMap<string, SessionState>({
    most: sessions,
    byUse: true,
    weight: { of: (state) => state.size, most: size },
    // What the store has not acknowledged is nowhere else.
    inUse: (owner) => owner === current || journal.isPending(owner),
    dropped: (owner) => journal.leave(owner),
  })

  const make = (session: string): SessionState =>
    createSessionState({
      key,
      digest,
      ...(nameOrigins === undefined ? {} : { nameOrigins }),
      ...(run === undefined ? {} : { run }),
      learnt: (fact) => {
        journal.note(sessionOwner(session), fact)
      },
    })
  /** Keeps a state, with the size that it has now. */
  const put = (session: string, state: SessionState): SessionState => {
    current = sessionOwner(session)
    states.set(current, state)
    return state
  }
  /** The worst is assumed of an unknown past, and stored, so that a later check does not find it any better. */
  const assumeWorst = (session: string, why: string, at: number): SessionState => {
    const state = make(session)
    state.nameOrigins.lost('untrusted')
    state.learn({ fact: 'read', source: `a past that is not known: ${why}` })
    state.learn({ fact: 'touched', label: 'secret' })
    state.learn({ fact: 'touched', label: 'pii' })
    state.learn({ fact: 'injected', until: at + injectionTtlMs })
    journal.rewrite(sessionOwner(session))
    lost?.(session, why)
    return state
  }
  const fromStore = (step: Asked): SessionState | undefined => {
    const session = step.session.id
    const kept = store.get(sessionOwner(session))
    if (kept.outcome !== 'kept') {
      const why = whyLost(kept, step)
      return why === undefined ? undefined : assumeWorst(session, why, step.at)
    }
    try {
      const state = make(session)
      state.restore(kept.facts)
      journal.resume(sessionOwner(session), kept.size)
      return state
    } catch (error) {
      return assumeWorst(session, whyLost(unreadable(error), step) ?? '', step.at)
    }
  }
  const get = (step: Asked): SessionState | undefined => {
    const session = step.session.id
    const owner = sessionOwner(session)
    const state = states.get(owner)
    // Facts that another guard has learned about the session apply here at once, but not before this guard's own are
    // stored.
    if (state === undefined || (store.isStale(owner) && !journal.isPending(owner))) {
      const back = fromStore(step)
      if (back !== undefined) return put(session, goingOn(back, state))
    }
    return state
  }
  return Object.freeze<SessionStates>({
    get,
    open: (step) => get(step) ?? put(step.session.id, make(step.session.id)),
    settle: (session) => {
      const state = states.get(sessionOwner(session))
      if (state !== undefined) put(session, state)
    },
    held: (owner) => states.get(owner),
  })
}

/** Facts that are not stored, and stay when a state is replaced. */
const goingOn = (state: SessionState, before: SessionState | undefined): SessionState => {
  for (const [call, names] of before?.asked ?? []) state.asked.set(call, names)
  for (const call of before?.seenCalls ?? []) state.seenCalls.add(call)
  return state
}

const unreadable = (error: unknown): Kept & { readonly outcome: 'unreadable' } => ({
  outcome: 'unreadable',
  why: error instanceof Error ? error.message : 'not facts',
})
