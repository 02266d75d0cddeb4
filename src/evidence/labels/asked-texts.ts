import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Source } from './facts.ts'

/** Numbers of all texts of one asker. */
export const MOST_NUMBERS = 32_768

/**
 * Whether one message of the person has a word of every group, and forbids nothing of it.
 * @param last among how many of their last messages; default: all
 */
export type Says = (groups: readonly (readonly string[])[], last?: number) => boolean

/** A text of one asker, as numbers of its words. */
export interface Text {
  readonly words: readonly number[]
  readonly source: Source | undefined
  /** Its place among the texts of all askers. */
  readonly at: number
}

/** Texts of one asker, found by their words. They are numbered one after the other, and dropped in that order. */
export interface Texts {
  put(text: Text): void
  /** Numbers of the texts that have a word, from the oldest to the newest. */
  having(word: number): ReadonlySet<number>
  get(number: number): Text | undefined
  all(): Iterable<Text>
  /** The newest. */
  last(): Text | undefined
  /** The place of the newest text with a word; -1 without one. */
  newest(word: number): number
  /** The number of the oldest, and of the next to come. */
  range(): readonly [from: number, to: number]
  /** Words of all. */
  readonly size: number
}

/** Bits of a digest as one number: the stored numbers reveal no word. */
export const numberOf = (digest: string): number => {
  let number = 0
  for (let at = 0; at < digest.length; at++) number = Math.imul(number ^ digest.charCodeAt(at), 0x01000193)
  return number >>> 0
}

const NOWHERE: ReadonlySet<number> = new Set()

/** Makes those of one asker. */
export const createTexts = (most: number): Texts => {
  const byWord = new Map<number, Set<number>>()
  /** The newest place of each word. */
  const newest = new Map<number, number>()
  let size = 0
  let from = 0
  let to = 0
  const texts = createBoundedMap<number, Text>({
    most,
    weight: { of: ({ words }) => words.length, most: MOST_NUMBERS },
    dropped: (number, { words }) => {
      from = number + 1
      size -= words.length
      for (const word of words) {
        const places = byWord.get(word)
        places?.delete(number)
        if (places?.size === 0) {
          byWord.delete(word)
          newest.delete(word)
        }
      }
    },
  })
  let last: Text | undefined
  return {
    put: (text) => {
      const number = to++
      last = text
      size += text.words.length
      for (const word of text.words) {
        const places = byWord.get(word) ?? new Set()
        byWord.set(word, places)
        places.add(number)
        newest.set(word, text.at)
      }
      texts.set(number, text)
    },
    having: (word) => byWord.get(word) ?? NOWHERE,
    get: (number) => texts.get(number),
    last: () => last,
    newest: (word) => newest.get(word) ?? -1,
    range: () => [from, to],
    *all() {
      for (const [, text] of texts) yield text
    },
    get size() {
      return size
    },
  }
}
