/** Texts that no later request to a model may hold: refused ones that the host has kept a copy of. */
export interface Withheld {
  bar(text: string): void
  /** The text has been let through after all: it may be said again. */
  lift(text: string): void
  /** The text without whatever is barred. */
  scrub(text: string): string
}

/** Texts that are kept; older ones go first. */
const KEPT = 500
/** Shorter texts are barred only where nothing else stands beside them. */
const SHORTEST_WITHIN = 12
const INSTEAD = '[withheld by Sallyport]'

/** Makes a list that is empty. It lives as long as the gateway. */
export const createWithheld = (): Withheld => {
  const barred = new Set<string>()
  return Object.freeze<Withheld>({
    bar(text) {
      if (text === '') return
      barred.delete(text)
      barred.add(text)
      for (const oldest of barred) {
        if (barred.size <= KEPT) break
        barred.delete(oldest)
      }
    },
    lift(text) {
      barred.delete(text)
    },
    scrub(text) {
      let rest = text
      for (const one of barred) if (rest === one || one.length >= SHORTEST_WITHIN) rest = rest.replaceAll(one, INSTEAD)
      return rest
    },
  })
}
