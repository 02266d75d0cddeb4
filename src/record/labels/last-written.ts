import { createBoundedMap } from '../../bounded/bounded-map.ts'

/** What this process knows of who wrote of an owner last: another process may have the same file open. */
export interface LastWritten {
  /** The owner was read as of a change; 0 when nothing was kept of it. */
  read(owner: string, change: number): void
  /** This process has written of the owner. Says whether another one had, since it was read or written here. */
  wrote(owner: string, before: number, change: number): boolean
  /** Whether another process has written of the owner since it was read here, or may have. */
  isStale(owner: string): boolean
}

/** How a file tells of changes. */
export interface FileChanges {
  /** Another number whenever another process has written. */
  readonly version: () => number
  /** The same, asked once for all that is asked before the event loop takes in anything new: none of it came later. */
  readonly versionThisTurn: () => number
  /** Number of the last change of an owner; 0 when nothing is kept of it. No two changes of a file have the same. */
  readonly changeOf: (owner: string) => number
}

interface Known {
  readonly change: number
  /** Of the file, when this was true of it. */
  version: number
  /** Another process wrote in between, and this one has not read it. */
  readonly behind: boolean
}

/** Owners known at most: more than are in memory at once. Of others anything may have been written. */
const MOST = 4_096

/** Keeps the account for one open file. */
export const createLastWritten = ({ version, versionThisTurn, changeOf }: FileChanges): LastWritten => {
  const all = createBoundedMap<string, Known>({ most: MOST })
  return Object.freeze<LastWritten>({
    read: (owner, change) => {
      all.set(owner, { change, version: version(), behind: false })
    },
    wrote: (owner, before, change) => {
      const known = all.get(owner)
      const behind = known?.behind === true || (known?.change ?? 0) !== before
      all.set(owner, { change, version: known?.version ?? version(), behind })
      return behind
    },
    isStale: (owner) => {
      const known = all.get(owner)
      if (known?.behind !== false) return true
      const now = versionThisTurn()
      if (known.version === now) return false
      if (changeOf(owner) !== known.change) return true
      known.version = now
      return false
    },
  })
}
