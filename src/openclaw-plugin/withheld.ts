import { hash } from 'node:crypto'
import { isObject } from '../protocol/json.ts'

/**
 * What the plugin has put into a model's output instead of what stood there. The host hands texts and the arguments of
 * calls to the same seam and does not say which is which; a call with a hole in it does something else than was meant,
 * so its arguments are given back before it is decided on.
 */
export interface Withheld {
  /** A text of the model's was replaced on its way to the host. */
  replaced(replacement: string, original: string): void
  /** The message is complete: what was replaced in the arguments of this call belongs to it, and to nothing else. */
  bind(call: CallRef, args: unknown): void
  /** What was replaced stood in the text of a message, which is to stay as it is. */
  drop(replacement: string): void
  /** The arguments as the model wrote them; `undefined` when nothing of them was replaced. */
  restore(call: CallRef, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined
  /** A text that no later request to the model may hold. */
  bar(text: string): void
  /** The text without whatever is barred. */
  scrub(text: string): string
}

/** A call in its session. */
export interface CallRef {
  readonly session: string
  readonly call: string
}

const KEPT_MS = 60_000
const KEPT = 500
/** Shorter texts are barred only where nothing else stands beside them. */
const SHORTEST_WITHIN = 12
const INSTEAD = '[withheld by Sallyport]'

const bounded = <T>(entries: Map<string, T>, key: string, value: T): void => {
  entries.delete(key)
  entries.set(key, value)
  for (const oldest of entries.keys()) {
    if (entries.size <= KEPT) break
    entries.delete(oldest)
  }
}

/** Every string in a value, replaced. */
const mapStrings = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((element) => mapStrings(element, map))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, map)]))
  return value
}

const keyOf = ({ session, call }: CallRef): string => hash('sha256', JSON.stringify([session, call]))

/** Makes a memory of what was withheld. Texts are kept for a minute, barred ones until others push them out. */
export const createWithheld = ({ now }: { readonly now: () => number }): Withheld => {
  const originals = new Map<string, { readonly text: string; readonly until: number }>()
  const calls = new Map<string, ReadonlyMap<string, string>>()
  const barred = new Map<string, true>()
  return Object.freeze<Withheld>({
    replaced: (replacement, original) => {
      bounded(originals, replacement, { text: original, until: now() + KEPT_MS })
    },
    bind(call, args) {
      const found = new Map<string, string>()
      mapStrings(args, (text) => {
        const original = originals.get(text)
        if (original !== undefined && original.until >= now()) found.set(text, original.text)
        return text
      })
      for (const replacement of found.keys()) originals.delete(replacement)
      if (found.size > 0) bounded(calls, keyOf(call), found)
    },
    drop: (replacement) => {
      originals.delete(replacement)
    },
    restore(call, args) {
      const found = calls.get(keyOf(call))
      if (found === undefined) return undefined
      return mapStrings(args, (text) => found.get(text) ?? text) as Readonly<Record<string, unknown>>
    },
    bar: (text) => {
      if (text !== '') bounded(barred, text, true)
    },
    scrub(text) {
      let rest = text
      for (const one of barred.keys())
        if (rest === one || one.length >= SHORTEST_WITHIN) rest = rest.replaceAll(one, INSTEAD)
      return rest
    },
  })
}
