import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { SessionRef } from '../../protocol/step.ts'
import { ACT_PATTERNS } from './act-words.ts'

/** The author of a text of a session. `task`: the text that started an agent without a person. */
export type Writer = 'person' | 'task' | 'stranger'

/** A text of a session, as far as it is kept. */
export interface Words {
  readonly by: Writer
  readonly text: string
  /** Where a stranger's text came from. */
  readonly source?: string
}

/** A session with its texts. */
export type SessionWords = readonly [session: string, words: readonly Words[]]

/**
 * The last texts of each session, as written, for guardians that show them to a model. In memory alone: nothing of it
 * is stored, and after a restart there is less. Keeps nothing until somebody needs it.
 */
export interface RecentWords {
  /** Somebody needs them from now on; returns the function that ends this. */
  keep(): () => void
  readonly isKept: () => boolean
  note(session: SessionRef['id'], words: Words): void
  /** From the oldest to the newest. */
  of(session: SessionRef['id']): readonly Words[]
  /** All sessions, and what another one of these has of sessions that this one does not know. */
  all(): readonly SessionWords[]
  adopt(sessions: readonly SessionWords[]): void
}

const SESSIONS = 64
/** Texts of one writer, and characters of one of them. */
const MOST: Readonly<Record<Writer, { readonly texts: number; readonly characters: number }>> = {
  person: { texts: 16, characters: 2_000 },
  task: { texts: 2, characters: 2_000 },
  stranger: { texts: 24, characters: 8_000 },
}
/** Characters of a text that are looked through. */
const LONGEST = 262_144

/** Of a stranger's long text, the sentences that can ask for something. */
const shortened = (by: Writer, text: string): string => {
  const { characters } = MOST[by]
  if (text.length <= characters || by !== 'stranger') return text.slice(0, characters)
  const asking = text
    .slice(0, LONGEST)
    .split(ACT_PATTERNS.sentence)
    .filter((sentence) => ACT_PATTERNS.verb.test(sentence))
    .join('\n')
  return (asking === '' ? text : asking).slice(0, characters)
}

/** Makes an empty one. */
export const createRecentWords = (): RecentWords => {
  const sessions = createBoundedMap<string, readonly Words[]>({ most: SESSIONS })
  let keepers = 0
  return Object.freeze<RecentWords>({
    keep() {
      let isOver = false
      keepers++
      return () => {
        if (isOver) return
        isOver = true
        keepers--
        if (keepers === 0) sessions.clear()
      }
    },
    isKept: () => keepers > 0,
    note(session, { by, text, source }) {
      if (keepers === 0 || text.trim() === '') return
      const words: Words = { by, text: shortened(by, text), ...(source === undefined ? {} : { source }) }
      const before = sessions.get(session) ?? []
      const same = before.filter((one) => one.by === by)
      const oldest = same.length < MOST[by].texts ? undefined : same[0]
      sessions.set(session, [...before.filter((one) => one !== oldest), words])
    },
    of: (session) => sessions.get(session) ?? [],
    all: () => [...sessions],
    adopt(all) {
      if (keepers === 0) return
      for (const [session, words] of all) sessions.getOr(session, () => words)
    },
  })
}
