import { createRecentWords } from '../../evidence/labels/recent-words.ts'
import type { RecentWords, SessionWords, Words } from '../../evidence/labels/recent-words.ts'

/** What threads tell each other: a text, all they have, or that one has just begun and has nothing. */
type Told =
  | { readonly told: 'text'; readonly session: string; readonly words: Words }
  | { readonly told: 'all'; readonly sessions: readonly SessionWords[] }
  | { readonly told: 'wanted' }

/**
 * The last texts of sessions, shared by all threads of one run of a guard.
 * Nothing leaves the process.
 */
export const openRecentWords = (
  run: string | undefined,
): { readonly words: RecentWords; readonly close: () => void } => {
  const words = createRecentWords()
  if (run === undefined) return { words, close: () => undefined }
  const channel = new BroadcastChannel(`sallyport words ${run}`)
  const tell = (told: Told): void => {
    channel.postMessage(told)
  }
  channel.addEventListener('message', (event) => {
    const { data } = event as Event & { readonly data: Told }
    if (data.told === 'text') words.note(data.session, data.words)
    else if (data.told === 'all') words.adopt(data.sessions)
    else if (words.all().length > 0) tell({ told: 'all', sessions: words.all() })
  })
  channel.unref()
  return {
    words: {
      ...words,
      keep() {
        const release = words.keep()
        tell({ told: 'wanted' })
        return release
      },
      note(session, one) {
        if (!words.isKept()) return
        words.note(session, one)
        const kept = words.of(session).at(-1)
        if (kept !== undefined) tell({ told: 'text', session, words: kept })
      },
    },
    close: () => channel.close(),
  }
}
