import { posix } from 'node:path'
import { dropOldest } from '../../bounded/bounded-map.ts'
import type { Digest } from './digest.ts'
import type { FactOf } from './facts.ts'

/** The content of a file that an agent filled, and its source. */
export interface KeptContent {
  /** `seen`: a secret was found when the file was read; a secret or a whole tree was put into the others. */
  readonly as: 'secret' | 'whole' | 'seen'
  /** For people and the trace: `file /app/.env`, `Bash`. */
  readonly from: string
  /** Hosts and domains that the secret belongs to. */
  readonly own: readonly string[]
}

/** What is kept of filled files. */
export type KeptFact = FactOf<'kept' | 'emptied'>

/** Files that agents of this guard, in any session, filled with a secret, tree or database, or read a secret in. */
export interface KeptFiles {
  /** @param tree the path is a folder, and everything in it has this content */
  keep(path: string, content: KeptContent, session: string, tree?: boolean): void
  /** The file was removed or overwritten. */
  empty(path: string): void
  /**
   * @param raw as the call writes it: a relative path may be relative to another folder than the guard knows
   * @param session whose files are found so
   */
  at(path: string, raw?: string, session?: string): KeptContent | undefined
  /**
   * The content of a file somewhere below a folder; files with settings of one machine (`.env`) do not count.
   * @param session that filled it; default: any
   */
  below(folder: string, session?: string): KeptContent | undefined
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

/** What programs put behind the name of a file that they pack, encrypt or save. */
const PACKED = /\.(?:gz|xz|zst|bz2|br|lz4|gpg|asc|age|enc|b64|bak|orig|old|zip|7z|tgz)$|~$/

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
 * @param learnt called with every new entry
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
  const inTree = (path: string): FactOf<'kept'> | undefined => {
    for (const folder of foldersAbove(path)) {
      const found = files.get(keyOf(folder))
      if (found?.tree === true) return found
    }
    return undefined
  }
  return Object.freeze<KeptFiles>({
    keep: (path, { as, from, own }, session, tree = false) => {
      const key = keyOf(path)
      const before = files.get(key)
      const by = digest(`session ${session}`)
      if (before?.as === as && before.from === from && before.session === by) return
      // A secret is not lost among other things.
      if (before?.as === 'secret' && as !== 'secret') return
      const below = PRIVATE.test(path) ? [] : foldersAbove(path).map(keyOf)
      learn({ fact: 'kept', path: key, as, from, own, below, ends: endsOf(path).map(keyOf), session: by, tree })
    },
    empty: (path) => {
      if (files.size === 0) return
      const key = keyOf(path)
      if (files.has(key)) learn({ fact: 'emptied', path: key })
    },
    at: (path, raw, session = '') => {
      if (files.size === 0) return undefined
      const known = files.get(keyOf(path)) ?? files.get(keyOf(path.replace(PACKED, ''))) ?? inTree(path)
      if (known !== undefined || raw === undefined || raw.startsWith('/') || !raw.includes('/')) return known
      const end = keyOf(posix.normalize(raw))
      const by = digest(`session ${session}`)
      for (const file of files.values()) if (file.session === by && file.ends.includes(end)) return file
      return undefined
    },
    below: (folder, session) => {
      if (files.size === 0) return undefined
      const key = keyOf(folder)
      const by = session === undefined ? undefined : digest(`session ${session}`)
      for (const file of files.values())
        // What was there before is the project's own: nothing new leaves with its folder.
        if (file.as !== 'seen' && file.below.includes(key) && (by === undefined || file.session === by)) return file
      return undefined
    },
    get isEmpty() {
      return files.size === 0
    },
    restore: take,
    facts: () => [...files.values()],
  })
}
