import { createBoundedMap } from '../../bounded/bounded-map.ts'

/** Refused texts of which the host has a copy: no later request to a model may contain them. */
export interface WithheldTexts {
  add(text: string): void
  /** The text was allowed after all: requests may contain it again. */
  remove(text: string): void
  /** Whether the text was added within the last minute: a repeated text is then the answer that was just refused. */
  isRecent(text: string): boolean
  /** The text without any withheld text. */
  redact(text: string): string
}

/** Limit of stored texts; the oldest go first. */
const KEPT = 500
/** Shorter texts are withheld only as a whole text. */
const SHORTEST_WITHIN = 12
/** Milliseconds in which the guard is not asked again about a repeated refused answer: a run is over by then. */
const HELD_MS = 60_000
const INSTEAD = '[withheld by Sallyport]'

/** Creates an empty list. It lives as long as the gateway. */
export const createWithheldTexts = (now: () => number = Date.now): WithheldTexts => {
  /** Time of each addition, the oldest first. */
  const texts = createBoundedMap<string, number>({ most: KEPT })
  return Object.freeze<WithheldTexts>({
    add(text) {
      if (text === '') return
      texts.set(text, now())
    },
    remove(text) {
      texts.delete(text)
    },
    isRecent(text) {
      const at = texts.get(text)
      return at !== undefined && now() - at < HELD_MS
    },
    redact(text) {
      let rest = text
      for (const [one] of texts) if (rest === one || one.length >= SHORTEST_WITHIN) rest = rest.replaceAll(one, INSTEAD)
      return rest
    },
  })
}
