import { createHmac } from 'node:crypto'
import { dropOldest } from '../../bounded/bounded-map.ts'
import type { FactOf } from './facts.ts'
import { disguised } from './disguises.ts'

/** Remembers secrets without keeping them: keyed hashes of the whole and of its pieces. */
export interface SecretMemory {
  /**
   * Learns a secret.
   * @param own hosts and domains it belongs to: sending it there is its use
   * @param from where it was read, for people and the trace
   */
  learn(value: string, own: readonly string[], from?: string): void
  /** The secrets that a call's texts hold, plain, encoded, reversed or in pieces. */
  seenIn(texts: readonly string[]): readonly SeenSecret[]
  /**
   * Takes in the texts of a call that went out: later ones may carry the rest.
   * @param isOwn whether the call goes where a secret with these owners belongs
   */
  sent(texts: readonly string[], isOwn: (own: readonly string[]) => boolean): void
  readonly count: number
  /** Pieces kept, for bounding memory. */
  readonly pieces: number
  /** True once a secret was dropped to make room. */
  readonly forgotten: boolean
  /** Restores what was learnt in an earlier run. */
  restore(fact: SecretFact): void
  /** All that is known, as facts that make the same memory again. */
  facts(): readonly SecretFact[]
}

/** A secret that is seen again: where it belongs, and where it was read. */
export interface SeenSecret {
  readonly own: readonly string[]
  readonly from: string
}

/** What is kept of secrets. */
export type SecretFact = FactOf<'secret' | 'leaked'>

/** What the memory of one session is made of. */
export interface SecretMemoryOptions {
  /** Random; constant for the life of the learned facts. */
  readonly key: Uint8Array
  /** Secrets kept; the oldest goes first. */
  readonly most?: number
  /** Told of everything new. */
  readonly learnt?: (fact: SecretFact) => void
}

/** Letters and digits of one piece. Shorter pieces cannot be distinguished from chance. */
const PIECE = 5
/** Shorter secrets are words; of longer ones the beginning counts. */
const SHORTEST = 10
const LONGEST = 256
/** Hosts and domains that one secret belongs to. */
const MOST_OWN = 16
/** Places of the first look at a hash, less one. */
const FILTER = 0x3fff
/** Part of a secret that has to be there. */
const ENOUGH = 0.8

/** Names of hosts have no case: what goes out in them is the secret still. */
const plain = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '').toLowerCase()
/** Of letters and digits alone, so no pair is parted. */
const reversed = (text: string): string => {
  let back = ''
  for (let at = text.length - 1; at >= 0; at--) back += text.charAt(at)
  return back
}

/** Letters and digits that stand for others, by code. */
const lettersBy = (letter: (number: number) => number, digit: (number: number) => number): Readonly<Uint8Array> =>
  Uint8Array.from({ length: 128 }, (_, code) => {
    if (code > 96 && code < 123) return 97 + (letter(code - 97) % 26)
    return code > 47 && code < 58 ? 48 + (digit(code - 48) % 10) : code
  })
const same = (number: number): number => number
const AS_WRITTEN = lettersBy(same, same)
const ROT13 = lettersBy((letter) => letter + 13, same)
/** Every other shift of the alphabet, with the digits by five and not, and the alphabet backwards. */
const SHIFTS: readonly Readonly<Uint8Array>[] = [
  ...Array.from({ length: 26 }, (_, by) => lettersBy((letter) => letter + by, same)).filter((_, by) => by % 13 !== 0),
  lettersBy(
    (letter) => letter + 13,
    (digit) => digit + 5,
  ),
  lettersBy((letter) => 25 - letter, same),
  lettersBy(
    (letter) => 25 - letter,
    (digit) => 9 - digit,
  ),
]
/** UTF-16 code units of the texts of one call that are also read shifted, and with others between them. */
const SHORT = 1_024

/** Every second, third and fourth character. */
const stridden = (letters: string): readonly string[] =>
  [2, 3, 4].flatMap((stride) =>
    Array.from({ length: stride }, (_, from) => {
      let picked = ''
      for (let at = from; at < letters.length; at += stride) picked += letters.charAt(at)
      return picked
    }),
  )

interface Learnt {
  readonly id: string
  readonly from: string
  readonly length: number
  /** Hash of each piece, from the first letter on. */
  readonly hashes: readonly number[]
  own: readonly string[]
  /** Pieces that went out in earlier calls, as written and backwards. */
  readonly leaked: readonly [forth: Set<number>, back: Set<number>]
}
/** A piece: of which secret, from which letter on. */
type Piece = readonly [secret: Learnt, at: number]

/** One letter more of a keyed hash. */
const mixed = (hash: number, letter: number, factor: number): number => {
  const more = Math.imul(hash ^ letter, factor)
  return more ^ (more >>> 15)
}

/** Keyed hash of every piece of a text, 32 bits. The key makes it useless to who has only the hashes. */
const eachPiece = (
  text: string,
  [a, b]: readonly [number, number],
  visit: (hash: number, at: number) => void,
  letters: Readonly<Uint8Array> = AS_WRITTEN,
): void => {
  if (text.length < PIECE) return
  const letterAt = (at: number): number => letters[text.charCodeAt(at)] ?? 0
  // Each letter is looked up once, and not for each of the pieces that it is in.
  let [first, second, third, fourth] = [letterAt(0), letterAt(1), letterAt(2), letterAt(3)]
  for (let at = 0; at + PIECE <= text.length; at++) {
    const fifth = letterAt(at + PIECE - 1)
    visit(mixed(mixed(mixed(mixed(mixed(a, first, b), second, b), third, b), fourth, b), fifth, b), at)
    first = second
    second = third
    third = fourth
    fourth = fifth
  }
}

const coveredBy = (marks: ReadonlySet<number>, length: number): number => {
  let covered = 0
  let until = 0
  for (const at of [...marks].toSorted((x, y) => x - y)) {
    covered += at + PIECE - Math.max(until, at)
    until = Math.max(until, at + PIECE)
  }
  return covered / length
}

/** Makes the memory of one session. */
export const createSecretMemory = ({ key, most = 64, learnt }: SecretMemoryOptions): SecretMemory => {
  const seed = createHmac('sha256', key).update('pieces').digest()
  const salt = [seed.readInt32LE(0), seed.readInt32LE(4) | 1] as const
  const known = new Map<string, Learnt>()
  const pieces = new Map<number, Piece[]>()
  /** By the last bits of a hash: 1 where a piece may have it, what was forgotten too. Most hashes end here. */
  let filter = new Uint8Array(0)
  let forgotten = false

  const forget = (_id: string, secret: Learnt): void => {
    forgotten = true
    for (const [hash, list] of pieces) {
      const left = list.filter(([one]) => one !== secret)
      if (left.length === 0) pieces.delete(hash)
      else if (left.length < list.length) pieces.set(hash, left)
    }
  }
  /** Says whether anything is new. */
  const take = ({ id, pieces: hashes, own, from }: FactOf<'secret'>): boolean => {
    const present = known.get(id)
    if (present !== undefined) {
      const all = [...new Set([...present.own, ...own])].slice(0, MOST_OWN)
      const isNew = all.length > present.own.length
      present.own = all
      return isNew
    }
    const length = hashes.length + PIECE - 1
    const secret: Learnt = { id, from, length, hashes, own: own.slice(0, MOST_OWN), leaked: [new Set(), new Set()] }
    known.set(id, secret)
    if (filter.length === 0) filter = new Uint8Array(FILTER + 1)
    for (const [at, hash] of hashes.entries()) {
      pieces.set(hash, [...(pieces.get(hash) ?? []), [secret, at]])
      filter[hash & FILTER] = 1
    }
    dropOldest(known, most, forget)
    return true
  }

  const leak = ({ id, at, back }: FactOf<'leaked'>): void => {
    for (const one of at) known.get(id)?.leaked[back ? 1 : 0].add(one)
  }
  /**
   * The pieces in texts, as written and backwards. Those of one call count together, in any place.
   * @param thorough also by shifts of the alphabet and with letters between
   */
  const marksIn = (texts: readonly string[], thorough: boolean): readonly ReadonlyMap<Learnt, Set<number>>[] => {
    if (known.size === 0) return []
    const [forth, back] = [new Map<Learnt, Set<number>>(), new Map<Learnt, Set<number>>()]
    const mark = (text: string, marks: Map<Learnt, Set<number>>, letters?: Readonly<Uint8Array>): void => {
      eachPiece(
        text,
        salt,
        (hash) => {
          if (filter[hash & FILTER] !== 1) return
          for (const [secret, at] of pieces.get(hash) ?? [])
            marks.set(secret, (marks.get(secret) ?? new Set<number>()).add(at))
        },
        letters,
      )
    }
    for (const form of disguised(texts).map(plain)) {
      mark(form, forth)
      mark(form, forth, ROT13)
      mark(reversed(form), back)
    }
    const short = thorough ? texts.join('') : ''
    if (short !== '' && short.length <= SHORT) {
      const letters = plain(short)
      for (const shift of SHIFTS) mark(letters, forth, shift)
      for (const some of [...stridden(short).map(plain), ...stridden(letters)]) mark(some, forth)
    }
    return [forth, back]
  }

  return Object.freeze<SecretMemory>({
    learn: (value, own, from = '') => {
      const text = plain(value).slice(0, LONGEST)
      if (text.length < SHORTEST) return
      const hashes: number[] = []
      eachPiece(text, salt, (hash) => hashes.push(hash))
      const id = createHmac('sha256', key).update(text).digest('base64')
      const fact: FactOf<'secret'> = { fact: 'secret', id, pieces: hashes, own, from }
      if (take(fact)) learnt?.(fact)
    },
    restore: (fact) => {
      if (fact.fact === 'secret') take(fact)
      else leak(fact)
    },
    facts: () =>
      [...known].flatMap(([id, { hashes, own, from, leaked }]) => [
        { fact: 'secret', id, pieces: hashes, own, from } as const,
        ...leaked.flatMap((at, back) =>
          at.size === 0 ? [] : [{ fact: 'leaked', id, at: [...at], back: back === 1 } as const],
        ),
      ]),
    seenIn: (texts) => {
      const found = new Set<Learnt>()
      for (const [back, marks] of marksIn(texts, true).entries())
        for (const [secret, at] of marks) {
          const before = secret.leaked[back] ?? new Set<number>()
          // What this call carries counts together with what went out before, if it adds to that.
          const adds = coveredBy(at, secret.length) >= ENOUGH || [...at].some((one) => !before.has(one))
          if (adds && coveredBy(new Set([...before, ...at]), secret.length) >= ENOUGH) found.add(secret)
        }
      return [...found].map(({ own, from }) => ({ own, from }))
    },
    sent: (texts, isOwn) => {
      for (const [back, marks] of marksIn(texts, false).entries())
        for (const [secret, at] of marks) {
          const fresh = [...at].filter((one) => secret.leaked[back]?.has(one) === false)
          if (fresh.length === 0 || isOwn(secret.own)) continue
          const fact: FactOf<'leaked'> = { fact: 'leaked', id: secret.id, at: fresh, back: back === 1 }
          leak(fact)
          learnt?.(fact)
        }
    },
    get pieces() {
      return pieces.size
    },
    get count() {
      return known.size
    },
    get forgotten() {
      return forgotten
    },
  })
}
