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

/** Texts of one asker, found by their words. */
export interface Texts {
  put(text: Text): void
  /** Numbers of the texts that have a word. */
  having(word: number): ReadonlySet<number>
  get(number: number): Text | undefined
  all(): Iterable<Text>
  /** The newest. */
  last(): Text | undefined
  /** The oldest of some newest; `undefined` if there are fewer. */
  oldestOf(newest: number): Text | undefined
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
  let size = 0
  const texts = createBoundedMap<number, Text>({
    most,
    weight: { of: ({ words }) => words.length, most: MOST_NUMBERS },
    dropped: (number, { words }) => {
      size -= words.length
      for (const word of words) {
        const places = byWord.get(word)
        places?.delete(number)
        if (places?.size === 0) byWord.delete(word)
      }
    },
  })
  let last: Text | undefined
  return {
    put: (text) => {
      const number = text.at
      last = text
      size += text.words.length
      for (const word of text.words) {
        const places = byWord.get(word) ?? new Set()
        byWord.set(word, places)
        places.add(number)
      }
      texts.set(number, text)
    },
    having: (word) => byWord.get(word) ?? NOWHERE,
    get: (number) => texts.get(number),
    last: () => last,
    oldestOf: (newest) => [...texts].at(-newest)?.[1],
    *all() {
      for (const [, text] of texts) yield text
    },
    get size() {
      return size
    },
  }
}
