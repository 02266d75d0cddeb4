import { posix } from 'node:path'
import { dropOldest } from '../../bounded/bounded-map.ts'
import type { Digest } from './digest.ts'
import type { FactOf } from './facts.ts'

/** What a file holds that an agent filled, and where that came from. */
export interface KeptContent {
  readonly as: 'secret' | 'whole'
  /** For people and the trace: `file /app/.env`, `Bash`. */
  readonly from: string
  /** Hosts and domains that the secret belongs to. */
  readonly own: readonly string[]
}

/** What is kept of filled files. */
export type KeptFact = FactOf<'kept' | 'emptied'>

/** Files that agents of this guard filled with a secret, a tree or a database, in whatever session. */
export interface KeptFiles {
  keep(path: string, content: KeptContent): void
  /** The file is gone, or holds something else now. */
  empty(path: string): void
  /** @param raw as the call writes it: a relative path may be relative to another folder than the guard knows */
  at(path: string, raw?: string): KeptContent | undefined
  /** What a file somewhere below a folder holds; files that hold settings of one machine (`.env`) are none. */
  below(folder: string): KeptContent | undefined
  readonly isEmpty: boolean
  restore(fact: KeptFact): void
  facts(): readonly KeptFact[]
}

const MOST = 1_024
/** Folders above a file by which it is found. */
const MOST_FOLDERS = 12
/** Parts of a relative path by which a file is found: of one part many files have the same. */
const [FEWEST_PARTS, MOST_PARTS] = [2, 6]
/** Files that no program publishes with the folder they are in. */
const PRIVATE = /(?:^|\/)(?:\.env(?:\.[^/]*)?|\.git\/.*|node_modules\/.*|\.venv\/.*)$/

const foldersAbove = (path: string): readonly string[] => {
  const folders: string[] = []
  for (let at = posix.dirname(path); at.length > 1 && folders.length < MOST_FOLDERS; at = posix.dirname(at))
    folders.push(at)
  return folders
}

/** The last parts of a path: two, three and more. */
const endsOf = (path: string): readonly string[] => {
  const parts = path.split('/').filter((part) => part !== '')
  const ends: string[] = []
  for (let count = FEWEST_PARTS; count <= Math.min(MOST_PARTS, parts.length - 1); count++)
    ends.push(parts.slice(-count).join('/'))
  return ends
}

/**
 * Makes the memory of filled files.
 * @param learnt told of everything new
 */
export const createKeptFiles = (digest: Digest, learnt?: (fact: KeptFact) => void): KeptFiles => {
  const files = new Map<string, FactOf<'kept'>>()
  const keyOf = (path: string): string => digest(`kept ${path}`)
  const take = (fact: KeptFact): void => {
    files.delete(fact.path)
    if (fact.fact === 'kept') files.set(fact.path, fact)
    dropOldest(files, MOST)
  }
  const learn = (fact: KeptFact): void => {
    take(fact)
    learnt?.(fact)
  }
  return Object.freeze<KeptFiles>({
    keep: (path, { as, from, own }) => {
      const key = keyOf(path)
      const before = files.get(key)
      if (before?.as === as && before.from === from) return
      // A secret is not lost among other things.
      if (before?.as === 'secret' && as === 'whole') return
      const below = PRIVATE.test(path) ? [] : foldersAbove(path).map(keyOf)
      learn({ fact: 'kept', path: key, as, from, own, below, ends: endsOf(path).map(keyOf) })
    },
    empty: (path) => {
      if (files.size === 0) return
      const key = keyOf(path)
      if (files.has(key)) learn({ fact: 'emptied', path: key })
    },
    at: (path, raw) => {
      if (files.size === 0) return undefined
      const known = files.get(keyOf(path))
      if (known !== undefined || raw === undefined || raw.startsWith('/') || !raw.includes('/')) return known
      const end = keyOf(posix.normalize(raw))
      for (const file of files.values()) if (file.ends.includes(end)) return file
      return undefined
    },
    below: (folder) => {
      if (files.size === 0) return undefined
      const key = keyOf(folder)
      for (const file of files.values()) if (file.below.includes(key)) return file
      return undefined
    },
    get isEmpty() {
      return files.size === 0
    },
    restore: take,
    facts: () => [...files.values()],
  })
}
