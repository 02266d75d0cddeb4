/** Caches results for recent texts, bounded in number and size. */
export interface TextCache<Answer> {
  get(text: string): Answer | undefined
  set(text: string, answer: Answer): void
}

/** Longer texts would displace everything else. */
export const LONGEST_CACHED = 65_536

/**
 * A cache by text, with two generations: a text that was requested since the last change of generations is kept through
 * the next one. A hit costs one lookup and moves nothing.
 * @param entries limit of texts
 * @param size limit of the total in UTF-16 code units
 */
export const createTextCache = <Answer>(entries: number, size: number): TextCache<Answer> => {
  let young = new Map<string, Answer>()
  let old = new Map<string, Answer>()
  /** Size of the young generation. */
  let youngSize = 0
  const put = (text: string, answer: Answer): void => {
    if (!young.has(text)) youngSize += text.length
    young.set(text, answer)
    if (young.size <= entries / 2 && youngSize <= size / 2) return
    old = young
    young = new Map()
    youngSize = 0
  }
  return {
    get: (text) => {
      if (text.length > LONGEST_CACHED) return undefined
      const answer = young.get(text)
      if (answer !== undefined) return answer
      const older = old.get(text)
      if (older !== undefined) put(text, older)
      return older
    },
    set: (text, answer) => {
      if (text.length > LONGEST_CACHED || entries < 1) return
      put(text, answer)
    },
  }
}
