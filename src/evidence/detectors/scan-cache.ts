/** Remembers the answers for the texts seen last, bounded in number and size. */
export interface ScanCache<Answer> {
  get(text: string): Answer | undefined
  set(text: string, answer: Answer): void
}

/** Longer texts would push everything else out. */
const LONGEST = 65_536

/**
 * A least-recently-used cache by text.
 * @param entries at most so many texts
 * @param size at most so many UTF-16 code units in all
 */
export const createScanCache = <Answer>(entries: number, size: number): ScanCache<Answer> => {
  const kept = new Map<string, Answer>()
  let held = 0
  const drop = (text: string): void => {
    if (kept.delete(text)) held -= text.length
  }
  return {
    get: (text) => {
      if (text.length > LONGEST) return undefined
      const answer = kept.get(text)
      if (answer === undefined) return undefined
      kept.delete(text)
      kept.set(text, answer)
      return answer
    },
    set: (text, answer) => {
      if (text.length > LONGEST || entries < 1) return
      drop(text)
      kept.set(text, answer)
      held += text.length
      for (const oldest of kept.keys()) {
        if (kept.size <= entries && held <= size) break
        drop(oldest)
      }
    },
  }
}
