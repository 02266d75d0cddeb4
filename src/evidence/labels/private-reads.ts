import type { Json } from '../../protocol/json.ts'
import { createPrivateText } from './private-text.ts'
import type { PrivateText } from './private-text.ts'
import { stringsOf } from './tainted-store.ts'

/** Sessions; the one that has not read for the longest time goes first. */
const MOST_SESSIONS = 64

/** What each session has read of the workspace. */
export interface PrivateReads {
  take(session: string, content: Json): void
  of(session: string): PrivateText | undefined
}

/** @param key random */
export const createPrivateReads = (key: Uint8Array): PrivateReads => {
  const seed = key.reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 0x811c9dc5)
  const kept = new Map<string, PrivateText>()
  return Object.freeze<PrivateReads>({
    take: (session, content) => {
      const text = kept.get(session) ?? createPrivateText(seed)
      kept.delete(session)
      kept.set(session, text)
      const [oldest] = kept.keys()
      if (kept.size > MOST_SESSIONS && oldest !== undefined) kept.delete(oldest)
      for (const one of stringsOf(content)) text.take(one)
    },
    of: (session) => kept.get(session),
  })
}
