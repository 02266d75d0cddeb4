import type { Json } from '../../protocol/json.ts'
import { createPrivateText, TEXT_MEMORY } from './private-text.ts'
import type { PrivateText } from './private-text.ts'
import { stringsOf } from './tainted-store.ts'

/** Sessions; the one that has not read for the longest time goes first. */
const MOST_SESSIONS = 64

/** Of one session: two halves of the hash of its name, and when it was last asked for. Before all of them: the clock. */
const HEADER = 16

/** Bytes of the memory that the threads of one guard share. */
export const READS_MEMORY = HEADER + MOST_SESSIONS * (HEADER + TEXT_MEMORY)

/** What each session has read of the workspace. */
export interface PrivateReads {
  /** @param place where it was read, for texts of several places of one session */
  take(session: string, content: Json, place?: string): void
  of(session: string, place?: string): PrivateText | undefined
}

/** One of two halves of a hash; 0 means no session. */
const half = (text: string, seed: number): number => {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash === 0 ? 1 : hash
}

/**
 * @param key random
 * @param memory of `READS_MEMORY` bytes, where threads look at the same sessions; none of them waits for another, and a
 * mark that two make at once may be lost
 */
export const createPrivateReads = (key: Uint8Array, memory?: ArrayBufferLike): PrivateReads => {
  const seed = key.reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 0x811c9dc5)
  // Most guards that are put together for a question read nothing.
  let reads = memory === undefined ? undefined : readsIn(memory, seed)
  return Object.freeze<PrivateReads>({
    take: (session, content, place) => {
      reads ??= readsIn(new ArrayBuffer(READS_MEMORY), seed)
      reads.take(session, content, place)
    },
    of: (session, place) => reads?.of(session, place),
  })
}

const readsIn = (memory: ArrayBufferLike, seed: number): PrivateReads => {
  const clock = new Uint32Array(memory, 0, 1)
  const slots = Array.from({ length: MOST_SESSIONS }, (_, at) => {
    const start = HEADER + at * (HEADER + TEXT_MEMORY)
    return { header: new Uint32Array(memory, start, 3), start: start + HEADER }
  })
  type Slot = (typeof slots)[number]
  const used = ({ header }: Slot): void => {
    clock[0] = (clock[0] ?? 0) + 1
    header[2] = clock[0]
  }
  const find = (session: string): Slot | undefined => {
    const [first, second] = [half(session, seed), half(session, ~seed >>> 0)]
    return slots.find(({ header }) => header[0] === first && header[1] === second)
  }
  /** Texts of several places share one memory, each with marks of its own. */
  const textAt = ({ start }: Slot, place: string | undefined): PrivateText =>
    createPrivateText(place === undefined ? seed : half(place, seed), new Uint8Array(memory, start, TEXT_MEMORY))
  const begin = (session: string): Slot | undefined => {
    const [slot] = slots.toSorted((a, b) => (a.header[2] ?? 0) - (b.header[2] ?? 0))
    if (slot === undefined) return undefined
    new Uint8Array(memory, slot.start, TEXT_MEMORY).fill(0)
    slot.header[0] = half(session, seed)
    slot.header[1] = half(session, ~seed >>> 0)
    return slot
  }
  return Object.freeze<PrivateReads>({
    take: (session, content, place) => {
      const slot = find(session) ?? begin(session)
      if (slot === undefined) return
      used(slot)
      const text = textAt(slot, place)
      for (const one of stringsOf(content)) text.take(one)
    },
    of: (session, place) => {
      const slot = find(session)
      return slot === undefined ? undefined : textAt(slot, place)
    },
  })
}
