import { hash } from 'node:crypto'
import type { HookAnswer } from '../hosts/openclaw/host.ts'

/** Whose words a text is: of whoever writes to the agent, of the agent, of a tool. */
export type Side = 'inbound' | 'outbound' | 'tool'

/** A text in its session. */
export interface Subject {
  readonly side: Side
  readonly session: string
  readonly text: string
}

/** What has been decided lately, so that seams which see the same text one after the other ask once. */
export interface Ledger {
  /** Asks for a text that nothing is known of; whoever comes while it is being asked waits for the same answer. */
  once(subject: Subject, ask: () => Promise<HookAnswer>): Promise<HookAnswer>
  known(subject: Subject): HookAnswer | undefined
  settle(subject: Subject, answer: HookAnswer): void
  /** A run whose prompt has been let through. */
  admit(run: string): void
  admitted(run: string): boolean
}

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Milliseconds that an answer is good for: longer than a turn takes from its message to its delivery. */
const KEPT_MS = 600_000
/** Answers and runs that are kept at most; the oldest go first. */
const KEPT = 2_000

interface Entry<T> {
  readonly value: T
  readonly until: number
}

/** A map that forgets: what is too old, and the oldest of what is too much. */
const createForgetful = <T>(now: () => number) => {
  const entries = new Map<string, Entry<T>>()
  return {
    get(key: string): T | undefined {
      const entry = entries.get(key)
      return entry === undefined || entry.until < now() ? undefined : entry.value
    },
    set(key: string, value: T): void {
      entries.delete(key)
      entries.set(key, { value, until: now() + KEPT_MS })
      for (const oldest of entries.keys()) {
        if (entries.size <= KEPT) break
        entries.delete(oldest)
      }
    },
    delete: (key: string): boolean => entries.delete(key),
  }
}

/** What was said for want of a verdict is asked again. */
const UNDECIDED: readonly string[] = ['SP_OPENCLAW_UNDECIDED', 'SP_GUARD_FAILED', 'SP_UNGUARDED']

const isDecided = ({ verdict }: HookAnswer): boolean => !verdict.reasonCodes.some((code) => UNDECIDED.includes(code))

const keyOf = ({ side, session, text }: Subject): string => hash('sha256', JSON.stringify([side, session, text]))

/** A ledger that is empty. It holds hashes of texts, never the texts. */
export const createLedger = ({ now }: LedgerOptions): Ledger => {
  const answers = createForgetful<HookAnswer>(now)
  const asking = createForgetful<Promise<HookAnswer>>(now)
  const runs = createForgetful<true>(now)
  return Object.freeze<Ledger>({
    async once(subject, ask) {
      const key = keyOf(subject)
      const known = answers.get(key) ?? asking.get(key)
      if (known !== undefined) return known
      const asked = ask()
      asking.set(key, asked)
      try {
        const answer = await asked
        if (isDecided(answer)) answers.set(key, answer)
        return answer
      } finally {
        asking.delete(key)
      }
    },
    known: (subject) => answers.get(keyOf(subject)),
    settle: (subject, answer) => {
      if (isDecided(answer)) answers.set(keyOf(subject), answer)
    },
    admit: (run) => {
      runs.set(run, true)
    },
    admitted: (run) => runs.get(run) === true,
  })
}
