import type { Patience } from '../../client/fitting.ts'
import type { Clock } from '../../core/clock.ts'
import type { Guardian, Opinion } from '../../core/guardian.ts'
import { NO_OBJECTION } from '../../core/guardian.ts'
import type { LateOpinion } from '../../core/late-opinion.ts'
import type { Step, StepKind } from '../../protocol/step.ts'
import type { FailureKind } from '../../protocol/verdict.ts'
import type { OpenEvents } from '../../record/open-events/open-events.ts'
import { opinionOf, strongest } from './opinion.ts'
import type { AicebergMode } from './opinion.ts'
import { maskedStep } from './redact.ts'
import type { MaskText } from './redact.ts'
import { isTold, sendingsOf } from './sendings.ts'
import type { Sending } from './sendings.ts'
import type { SessionEvents } from './session-events.ts'

export interface AicebergOptions {
  readonly id: string
  /** What events are judged by, as it stands in the guardian's version. */
  readonly scope: string
  readonly mode: AicebergMode
  readonly sessions: SessionEvents
  readonly events: OpenEvents
  /** Kinds of step that are told; default: all that mean something to the service. */
  readonly kinds?: readonly StepKind[]
  /** Masks what must not leave the machine. */
  readonly mask: MaskText
  /** Characters of one text; a longer one is not told, and the step fails. */
  readonly longestText: number
  /** Milliseconds that somebody waits for an opinion. */
  readonly deadlineMs: number
  readonly clock: Clock
  /** Takes opinions on steps that nobody waited for. */
  readonly late: (opinion: LateOpinion) => void
  readonly fault: (error: unknown) => void
}

/** Aiceberg as a guardian, and what goes on beside its opinions. */
export interface Aiceberg {
  readonly guardian: Guardian
  /** Closes what a guard before this one has left open of sessions that are over. */
  readonly resume: () => void
  /** Resolves when nothing is on its way; with `end` sessions that are over are closed at once. */
  settled(end?: boolean): Promise<void>
}

/** Milliseconds without an event after which a session that ended is closed: its last model turns come after its end. */
const QUIET_MS = 3_000
/** Milliseconds after which one that was never seen to end is closed. */
const STALE_MS = 86_400_000
/** Milliseconds that a telling has which nobody waits for. */
const BACKGROUND_MS = 10_000

/** Calls of a model come after the fact, in the background: waiting for what is said of them costs nobody time. */
const AWAITED: ReadonlySet<StepKind> = new Set(['modelRequest', 'modelResponse'])

const lengthOf = (sending: Sending): number =>
  Math.max(sending.input.length, sending.act === 'create' ? 0 : sending.output.length)

/** Makes the guardian. It gives evidence, as any scanner does, and an opinion of its own. */
export const createAiceberg = (options: AicebergOptions): Aiceberg => {
  const { id, scope, mode, sessions, events, kinds, mask, longestText, deadlineMs, clock, late, fault } = options
  const version = `aiceberg-1 ${scope} ${mode}`
  /** What goes on in the background, by session: one after the other. */
  const lanes = new Map<string, Promise<void>>()
  const ending = new Set<string>()
  const hurry = new AbortController()

  const none = (why: FailureKind, cause: string): Opinion => opinionOf(id, { outcome: 'failed', why, cause }, mode)

  const opinionAfter = async (step: Step, patience: Patience): Promise<Opinion> => {
    const sendings = sendingsOf(maskedStep(step, mask))
    if (sendings.some((one) => lengthOf(one) > longestText))
      return none('exhausted', `a text is longer than ${longestText} characters`)
    const told = await Promise.all(sendings.map((one) => sessions.tell(one, step, patience)))
    return strongest(told.flatMap((one) => (one === undefined ? [] : [opinionOf(id, one, mode)])))
  }

  const enqueue = (session: string, work: () => Promise<void>): void => {
    const now: Promise<void> = (lanes.get(session) ?? Promise.resolve())
      .then(work)
      .catch(fault)
      .finally(() => {
        if (lanes.get(session) === now) lanes.delete(session)
      })
    lanes.set(session, now)
  }

  /** Gives up by itself when its time is over: where nothing is stopped, no answer is no reason to stop either. */
  const within = async <T>(ms: number, work: (patience: Patience) => Promise<T>, caller?: AbortSignal): Promise<T> => {
    const abort = new AbortController()
    const until = clock.now() + ms
    const callOff = clock.after(ms, () => {
      abort.abort()
    })
    const signal = caller === undefined ? abort.signal : AbortSignal.any([abort.signal, caller])
    try {
      return await work({ until: () => until, signal })
    } finally {
      callOff()
    }
  }

  const tellInBackground = (step: Step): void => {
    const began = clock.now()
    enqueue(step.session.id, async () => {
      const opinion = await within(BACKGROUND_MS, (patience) => opinionAfter(step, patience))
      late({ guardian: id, version, step, opinion, tookMs: clock.now() - began })
    })
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const over = (): void => {
        callOff()
        hurry.signal.removeEventListener('abort', over)
        resolve()
      }
      const callOff = clock.after(ms, over)
      hurry.signal.addEventListener('abort', over)
    })

  /** Closes a session once nothing more comes of it; not in its lane, which has to go on meanwhile. */
  const end = async (session: string): Promise<void> => {
    for (let rest = QUIET_MS; rest > 0 && !hurry.signal.aborted;) {
      await pause(rest)
      rest = sessions.lastToldAt(session) + QUIET_MS - clock.now()
    }
    enqueue(session, async () => {
      if (ending.delete(session)) await within(BACKGROUND_MS, (patience) => sessions.conclude(session, patience))
    })
    await lanes.get(session)
  }

  const endings = new Set<Promise<void>>()
  const endLater = (session: string): void => {
    if (ending.has(session)) return
    ending.add(session)
    const one = end(session)
      .catch(fault)
      .finally(() => endings.delete(one))
    endings.add(one)
  }

  const ended = ({ session: { id: session } }: Step): Opinion => {
    if (events.isBegun(session) || lanes.has(session)) {
      events.ended(session, clock.now())
      endLater(session)
    }
    return NO_OBJECTION
  }

  const guardian = Object.freeze<Guardian>({
    id,
    version,
    stage: 'evidence',
    // Whatever it is told of, what was opened is closed with the session.
    handles: (step) => isTold(step) && (kinds === undefined || step.kind === 'sessionEnd' || kinds.includes(step.kind)),
    evaluateNow(step, { audit }) {
      if (step.kind === 'sessionEnd') return ended(step)
      if (audit !== true || AWAITED.has(step.kind)) return undefined
      tellInBackground(step)
      return NO_OBJECTION
    },
    evaluate(step, { signal }) {
      // One that goes on after its end was not at its end.
      if (!AWAITED.has(step.kind)) ending.delete(step.session.id)
      return within(deadlineMs, (patience) => opinionAfter(step, patience), signal).catch((error: unknown) => {
        fault(error)
        return none('invalid', 'what is open there could not be kept')
      })
    },
  })

  return Object.freeze<Aiceberg>({
    guardian,
    resume() {
      try {
        for (const { session } of events.left(clock.now() - STALE_MS)) endLater(session)
      } catch (error) {
        fault(error)
      }
    },
    async settled(atOnce = false) {
      if (atOnce) hurry.abort()
      const busy = (): readonly Promise<void>[] => [...lanes.values(), ...(atOnce ? endings : [])]
      for (let going = busy(); going.length > 0; going = busy()) await Promise.all(going)
    },
  })
}
