import { createBoundedMap } from '../../bounded/bounded-map.ts'

/** Texts that no later request to a model may hold: refused ones that the host has kept a copy of. */
export interface Withheld {
  bar(text: string): void
  /** The text has been let through after all: it may be said again. */
  lift(text: string): void
  /** Whether the text was barred in the minute before: said again, it is the answer that was just refused. */
  holds(text: string): boolean
  /** The text without whatever is barred. */
  scrub(text: string): string
}

/** Texts that are kept; older ones go first. */
const KEPT = 500
/** Shorter texts are barred only where nothing else stands beside them. */
const SHORTEST_WITHIN = 12
/** Milliseconds in which a refused answer that is said again is not asked about again: a run is over by then. */
const HELD_MS = 60_000
const INSTEAD = '[withheld by Sallyport]'

/** Makes a list that is empty. It lives as long as the gateway. */
export const createWithheld = (now: () => number = Date.now): Withheld => {
  /** When each was barred, the oldest first. */
  const barred = createBoundedMap<string, number>({ most: KEPT })
  return Object.freeze<Withheld>({
    bar(text) {
      if (text === '') return
      barred.set(text, now())
    },
    lift(text) {
      barred.delete(text)
    },
    holds(text) {
      const at = barred.get(text)
      return at !== undefined && now() - at < HELD_MS
    },
    scrub(text) {
      let rest = text
      for (const [one] of barred)
        if (rest === one || one.length >= SHORTEST_WITHIN) rest = rest.replaceAll(one, INSTEAD)
      return rest
    },
  })
}
