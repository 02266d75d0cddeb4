/** Remembers the answers to the questions asked last. */
export interface Remembered<T> {
  get(key: string, make: () => T): T
  readonly size: number
}

/** Questions longer than this are not kept: remembering must not cost more memory than it is worth. */
const MAX_KEY = 4_096

/** Remembers at most `limit` answers; the one not asked for the longest time goes first. */
export const createRemembered = <T>(limit: number): Remembered<T> => {
  const answers = new Map<string, { readonly answer: T }>()
  return Object.freeze({
    get size() {
      return answers.size
    },
    get: (key: string, make: () => T): T => {
      const known = answers.get(key)
      if (known !== undefined) {
        answers.delete(key)
        answers.set(key, known)
        return known.answer
      }
      const answer = make()
      if (key.length > MAX_KEY) return answer
      answers.set(key, { answer })
      if (answers.size > limit) {
        const oldest = answers.keys().next()
        if (oldest.done !== true) answers.delete(oldest.value)
      }
      return answer
    },
  })
}
