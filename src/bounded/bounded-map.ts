/** A map or a set, whose entries come in the order in which they were written. */
interface Ordered<K, V> {
  readonly size: number
  entries(): Iterable<readonly [K, V]>
  delete(key: K): boolean
}

/**
 * Deletes the oldest entries of a map or set that has more than `most`.
 * @param dropped receives each of them
 */
export const dropOldest = <K, V>(kept: Ordered<K, V>, most: number, dropped?: (key: K, value: V) => void): void => {
  if (kept.size <= most) return
  for (const [key, value] of kept.entries()) {
    kept.delete(key)
    dropped?.(key, value)
    if (kept.size <= most) return
  }
}

/** A map that drops its oldest entries above its limits. Its entries are ordered from the oldest to the newest. */
export interface BoundedMap<K, V> extends Iterable<readonly [K, V]> {
  get(key: K): V | undefined
  has(key: K): boolean
  /** The value of a key; a missing one is created by `make` and stored. */
  getOr(key: K, make: () => V): V
  /** Writes an entry, which becomes the newest, and drops what is too much. */
  set(key: K, value: V): void
  delete(key: K): boolean
  clear(): void
  readonly size: number
}

/** The limits of a bounded map. */
export interface Bounds<K, V> {
  /** Entries. */
  readonly most: number
  /** Whether an entry that is read becomes the newest; otherwise only writing makes it so. */
  readonly byUse?: boolean
  /** Milliseconds for which an entry counts once it is written. A clock that was set back makes none count for longer. */
  readonly age?: { readonly ms: number; readonly now: () => number }
  /** Weight of an entry as it is written, and of all entries together. */
  readonly weight?: { readonly of: (value: V, key: K) => number; readonly most: number }
  /** Whether an entry is in use, and stays although there are too many. */
  readonly inUse?: (key: K, value: V) => boolean
  /** Receives each entry that is dropped to make room. */
  readonly dropped?: (key: K, value: V) => void
}

interface Entry<V> {
  readonly value: V
  readonly weight: number
  readonly at: number
}

/** Makes an empty map with bounds. */
export const createBoundedMap = <K, V>(bounds: Bounds<K, V>): BoundedMap<K, V> => {
  const { most, byUse = false, age, weight, inUse, dropped } = bounds
  const mostWeight = weight?.most ?? Infinity
  const entries = new Map<K, Entry<V>>()
  let held = 0
  /** The entry written last, by itself or by its use: moving an entry makes the whole map work. */
  let newest: Entry<V> | undefined

  const remove = (key: K, entry: Entry<V>): void => {
    entries.delete(key)
    held -= entry.weight
  }
  const isOver = ({ at }: Entry<V>): boolean => {
    if (age === undefined) return false
    const passed = age.now() - at
    return passed < 0 || passed >= age.ms
  }
  const find = (key: K): Entry<V> | undefined => {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    if (isOver(entry)) {
      remove(key, entry)
      return undefined
    }
    if (byUse && entry !== newest) {
      entries.delete(key)
      entries.set(key, entry)
      newest = entry
    }
    return entry
  }
  const trim = (): void => {
    for (const [key, entry] of entries) {
      if (entries.size <= most && held <= mostWeight && !isOver(entry)) return
      if (inUse?.(key, entry.value) === true) continue
      remove(key, entry)
      dropped?.(key, entry.value)
    }
  }
  const set = (key: K, value: V): void => {
    const before = entries.get(key)
    if (before !== undefined) held -= before.weight
    if (before !== undefined && before !== newest) entries.delete(key)
    const entry = { value, weight: weight?.of(value, key) ?? 0, at: age?.now() ?? 0 }
    entries.set(key, entry)
    newest = entry
    held += entry.weight
    if (entries.size > most || held > mostWeight || age !== undefined) trim()
  }

  return Object.freeze<BoundedMap<K, V>>({
    get: (key) => find(key)?.value,
    has: (key) => find(key) !== undefined,
    getOr(key, make) {
      const entry = find(key)
      if (entry !== undefined) return entry.value
      const value = make()
      set(key, value)
      return value
    },
    set,
    delete(key) {
      const entry = entries.get(key)
      if (entry !== undefined) remove(key, entry)
      return entry !== undefined
    },
    clear() {
      entries.clear()
      held = 0
    },
    *[Symbol.iterator]() {
      for (const [key, entry] of entries) if (!isOver(entry)) yield [key, entry.value] as const
    },
    get size() {
      return entries.size
    },
  })
}
