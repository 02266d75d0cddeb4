import { hash } from 'node:crypto'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import { createBoundedMap } from '../../bounded/bounded-map.ts'

/** The author of a text: a person or channel that writes to the agent, the agent, a tool. */
export type Side = 'inbound' | 'outbound' | 'tool'

/** A text in its session. */
export interface Subject {
  readonly side: Side
  readonly session: string
  readonly text: string
}

/** Recent decisions, so that consecutive hooks with the same text cause one request. */
export interface DecisionCache {
  /**
   * Asks about an unknown text; concurrent callers wait for the same answer. A seam that has had the answer already
   * gets the same text a second time, which is decided anew.
   */
  once(subject: Subject, seam: string, ask: () => Promise<HookAnswer>): Promise<HookAnswer>
  known(subject: Subject): HookAnswer | undefined
  settle(subject: Subject, answer: HookAnswer): void
  /** Records a run whose prompt was allowed. */
  admit(run: string): void
  admitted(run: string): boolean
}

export interface DecisionCacheOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Lifetime of an answer in milliseconds: longer than a turn takes from its message to its delivery. */
const KEPT_MS = 600_000
/** Most stored answers and runs; the oldest go first. */
const KEPT = 2_000

/** Answers without a verdict, or before a person's answer, which are requested again. */
const UNDECIDED: readonly string[] = [
  'SP_OPENCLAW_UNDECIDED',
  'SP_UNGUARDED',
  'SP_GUARD_FAILED',
  'SP_GUARDIAN_TIMEOUT',
  'SP_GUARDIAN_UNREACHABLE',
  'SP_GUARDIAN_INVALID',
  'SP_APPROVAL_PENDING',
  'SP_APPROVAL_FULL',
  'SP_APPROVAL_STORE',
]

/** Whether an answer is final, not a substitute for a missing verdict. */
export const isDecided = ({ verdict }: HookAnswer): boolean =>
  !verdict.reasonCodes.some((code) => UNDECIDED.includes(code))

const keyOf = ({ side, session, text }: Subject): string => hash('sha256', JSON.stringify([side, session, text]))

/** An answer, and the seams that have had it; one that was not requested is for every seam. */
interface Given<A> {
  readonly answer: A
  readonly seams?: Set<string>
}

/** The answer for a seam, unless it has had it. */
const forSeam = <A>(given: Given<A> | undefined, seam: string): A | undefined => {
  if (given === undefined || given.seams?.has(seam) === true) return undefined
  given.seams?.add(seam)
  return given.answer
}

/** Creates an empty cache. It stores hashes of texts, never the texts. */
export const createDecisionCache = ({ now }: DecisionCacheOptions): DecisionCache => {
  const bounds = { most: KEPT, age: { ms: KEPT_MS, now } }
  const answers = createBoundedMap<string, Given<HookAnswer>>(bounds)
  const asking = createBoundedMap<string, Given<Promise<HookAnswer>>>(bounds)
  const runs = createBoundedMap<string, true>(bounds)
  return Object.freeze<DecisionCache>({
    async once(subject, seam, ask) {
      const key = keyOf(subject)
      const known = forSeam(asking.get(key), seam) ?? forSeam(answers.get(key), seam)
      if (known !== undefined) return known
      const seams = new Set([seam])
      const asked = ask()
      const flight = { answer: asked, seams }
      asking.set(key, flight)
      try {
        const answer = await asked
        if (isDecided(answer)) answers.set(key, { answer, seams })
        else answers.delete(key)
        return answer
      } finally {
        if (asking.get(key) === flight) asking.delete(key)
      }
    },
    known: (subject) => answers.get(keyOf(subject))?.answer,
    settle: (subject, answer) => {
      if (isDecided(answer)) answers.set(keyOf(subject), { answer })
    },
    admit: (run) => {
      runs.set(run, true)
    },
    admitted: (run) => runs.get(run) === true,
  })
}
