/** Words in a row that are compared: the code below keeps two of them. */
const RUN = 3
/** Places of one table, a power of two; twice this many bits a session. */
const BITS = 1 << 19
/** Runs until a new table is begun and the older one dropped. */
const MOST_RUNS = 60_000
/** UTF-16 code units of one text. */
const LONGEST = 262_144
/** Fewer runs are a search for an error or a name. */
const FEWEST_CARRIED = 12

/**
 * What a session has read of the workspace, as hashes of its runs of words: enough to recognise a copied text, not to
 * restore it. For this run of the guard only.
 */
export interface PrivateText {
  /** Learns a text that was read. */
  take(text: string): void
  /** Whether a text is, for the most part, taken from what was read: a dozen runs of words and more. */
  holds(text: string): boolean
  /** Runs in a row that were read: the longest passage of a text that is taken from there. */
  passage(text: string): number
}

/** A letter or digit in small letters, or 0: what is not a letter of ASCII counts as one. */
const letterOf = (code: number): number => {
  if (code > 127 || (code > 96 && code < 123) || (code > 47 && code < 58)) return code
  return code > 64 && code < 91 ? code | 32 : 0
}

/** Emits the marks of the runs of three words in a text; single letters are not words. */
const eachRun = (text: string, seed: number, say: (mark: number) => void): void => {
  let [first, middle, words] = [0, 0, 0]
  let [hash, length] = [seed, 0]
  const end = Math.min(text.length, LONGEST)
  for (let at = 0; at <= end; at++) {
    const letter = at === end ? 0 : letterOf(text.charCodeAt(at))
    if (letter !== 0) {
      hash = Math.imul(hash ^ letter, 0x01000193)
      length++
    } else {
      if (length > 1) {
        if (++words >= RUN) say((Math.imul(Math.imul(first, 31) ^ middle, 0x9e3779b1) ^ hash) >>> 0)
        ;[first, middle] = [middle, hash]
      }
      ;[hash, length] = [seed, 0]
    }
  }
}

const second = (mark: number): number => Math.imul(mark ^ (mark >>> 15), 0x85ebca6b) >>> 0

/** Bytes of one table, and of two with the number of runs and which of them is the newer one. */
const TABLE = BITS / 8
export const TEXT_MEMORY = 8 + 2 * TABLE

/**
 * @param seed random, so that similar texts cannot be constructed
 * @param memory of `TEXT_MEMORY` bytes, zeros for an empty text
 */
export const createPrivateText = (seed: number, memory: Uint8Array = new Uint8Array(TEXT_MEMORY)): PrivateText => {
  const state = new Uint32Array(memory.buffer, memory.byteOffset, 2)
  const tables = [memory.subarray(8, 8 + TABLE), memory.subarray(8 + TABLE, TEXT_MEMORY)] as const
  const newer = (): Uint8Array => tables[state[1] === 1 ? 1 : 0]
  const has = (bits: Uint8Array, place: number): boolean =>
    ((bits[(place % BITS) >>> 3] ?? 0) & (1 << (place & 7))) !== 0
  const set = (place: number): void => {
    const at = (place % BITS) >>> 3
    const table = newer()
    table[at] = (table[at] ?? 0) | (1 << (place & 7))
  }
  const holdsMark = (mark: number): boolean => tables.some((bits) => has(bits, mark) && has(bits, second(mark)))
  return Object.freeze<PrivateText>({
    take: (text) => {
      eachRun(text, seed, (mark) => {
        const count = (state[0] ?? 0) + 1
        state[0] = count > MOST_RUNS ? 0 : count
        if (count > MOST_RUNS) {
          state[1] = state[1] === 1 ? 0 : 1
          newer().fill(0)
        }
        set(mark)
        set(second(mark))
      })
    },
    passage: (text) => {
      let [longest, length] = [0, 0]
      eachRun(text, seed, (mark) => {
        length = holdsMark(mark) ? length + 1 : 0
        if (length > longest) longest = length
      })
      return longest
    },
    holds: (text) => {
      const marks = new Set<number>()
      eachRun(text, seed, (mark) => marks.add(mark))
      const known = [...marks].filter(holdsMark).length
      return known >= FEWEST_CARRIED && known * 2 >= marks.size
    },
  })
}
