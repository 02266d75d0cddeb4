import { createBoundedMap } from '../../bounded/bounded-map.ts'

/** What this process knows about the last writer of an owner: another process may have the same file open. */
export interface LastWritten {
  /** The owner was read as of a change; 0 when nothing was stored. */
  read(owner: string, change: number): void
  /** This process has written the owner. Returns whether another one had, since it was read or written here. */
  wrote(owner: string, before: number, change: number): boolean
  /** Whether another process has written the owner since it was read here, or may have. */
  isStale(owner: string): boolean
}

/** The change counters of a file. */
export interface FileChanges {
  /** Differs whenever another process has written. */
  readonly version: () => number
  /** The same, read once per turn of the event loop: none of its requests came later. */
  readonly versionThisTurn: () => number
  /** Number of the last change of an owner; 0 when nothing is stored. No two changes of a file have the same. */
  readonly changeOf: (owner: string) => number
}

interface Known {
  readonly change: number
  /** Of the file, when this was true of it. */
  version: number
  /** Another process wrote in between, and this one has not read it. */
  readonly behind: boolean
}

/** Most known owners: more than are in memory at once. Others may have been written. */
const MOST = 4_096

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
