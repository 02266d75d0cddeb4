import type { Json, JsonObject } from '../../../protocol/json.ts'

/** The newest messages within a limit of characters. */
export interface KeptMessages {
  push(message: JsonObject): void
  isEmpty(): boolean
  /** The messages, oldest first; before them, how many were left out. */
  messages(): Json
}

/** Makes an empty list. */
export const createKeptMessages = (limit: number): KeptMessages => {
  const kept: { readonly message: JsonObject; readonly size: number }[] = []
  let total = 0
  let dropped = 0
  /** Of `kept`, those before it are dropped already; they are let go of many at a time. */
  let first = 0

  return Object.freeze<KeptMessages>({
    push(message) {
      const size = JSON.stringify(message).length
      kept.push({ message, size })
      total += size
      while (total > limit && first < kept.length - 1) {
        total -= kept[first]?.size ?? 0
        first++
        dropped++
      }
      if (first > 1_000) kept.splice(0, first)
      if (first > 1_000) first = 0
    },
    isEmpty: () => kept.length === 0,
    messages() {
      const messages = kept.slice(first).map(({ message }) => message)
      if (dropped === 0) return messages
      return [{ role: 'user', content: `[sallyport left out ${dropped} messages that were older]` }, ...messages]
    },
  })
}
