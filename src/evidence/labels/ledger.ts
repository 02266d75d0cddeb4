import type { Origin } from '../../protocol/evidence.ts'
import type { Name, NameKind, Speaker } from './names.ts'

/** Where an untrusted text came from. `place` is its own name: one that the person gave makes it `referred`. */
export interface Source {
  /** For people and the trace: `web docs.example.com`, `mcp mail`, `file /home/dev/Downloads/a.md`. */
  readonly label: string
  readonly place?: Name
}

/** The origin of one name. */
export interface Known {
  readonly origin: Origin
  /** Label of the untrusted source that named it. */
  readonly source?: string
}

/** Names kept for each speaker, and their size in UTF-16 code units. */
export interface LedgerLimits {
  readonly entries: number
  readonly size: number
}

/** Defaults: at most 2,048 + 4,096 + 8,192 names and 1.5 M code units a session. */
export const LEDGER_LIMITS: Readonly<Record<Speaker, LedgerLimits>> = {
  person: { entries: 2_048, size: 131_072 },
  workspace: { entries: 4_096, size: 262_144 },
  untrusted: { entries: 8_192, size: 524_288 },
}

/** Which session saw which name where. First sight wins; a person naming it later wins over that. */
export interface Ledger {
  note(speaker: Speaker, names: readonly Name[], source?: Source): void
  /** Marks that names of this speaker were not all taken in. */
  lost(speaker: Speaker): void
  of(kind: NameKind, value: string): Known
  /** Whether names that this speaker said have been forgotten. */
  forgotten(speaker: Speaker): boolean
  /** UTF-16 code units of all names kept. */
  readonly size: number
}

const keyOf = (kind: NameKind, value: string): string => `${kind} ${value}`

interface Shelf {
  readonly limits: LedgerLimits
  readonly kept: Map<string, Source | undefined>
  size: number
  forgotten: boolean
}

const drop = (shelf: Shelf, key: string): void => {
  if (shelf.kept.delete(key)) shelf.size -= key.length
}

const put = (shelf: Shelf, key: string, source: Source | undefined): void => {
  shelf.kept.set(key, source)
  shelf.size += key.length
  for (const oldest of shelf.kept.keys()) {
    if (shelf.kept.size <= shelf.limits.entries && shelf.size <= shelf.limits.size) return
    drop(shelf, oldest)
    shelf.forgotten = true
  }
}

/** Makes the ledger of one session. */
export const createLedger = (limits: Readonly<Record<Speaker, LedgerLimits>> = LEDGER_LIMITS): Ledger => {
  const shelf = (speaker: Speaker): Shelf => ({ limits: limits[speaker], kept: new Map(), size: 0, forgotten: false })
  const shelves = { person: shelf('person'), workspace: shelf('workspace'), untrusted: shelf('untrusted') }
  const { person, workspace, untrusted } = shelves
  const isKnown = (key: string): boolean => person.kept.has(key) || workspace.kept.has(key) || untrusted.kept.has(key)

  const noteAll = (speaker: Speaker, names: readonly Name[], source: Source | undefined): void => {
    for (const { kind, value } of names) {
      const key = keyOf(kind, value)
      if (speaker === 'person') {
        // What a stranger said stays known beneath, should the person's naming be forgotten.
        drop(person, key)
        put(person, key, undefined)
      } else if (!isKnown(key)) put(shelves[speaker], key, source)
    }
  }

  return Object.freeze<Ledger>({
    note: noteAll,
    lost: (speaker) => {
      shelves[speaker].forgotten = true
    },
    of: (kind, value) => {
      const key = keyOf(kind, value.slice(0, 256))
      if (person.kept.has(key)) return { origin: 'person' }
      if (workspace.kept.has(key)) return { origin: 'workspace' }
      const source = untrusted.kept.get(key)
      if (source !== undefined) {
        const pointedAt = source.place !== undefined && person.kept.has(keyOf(source.place.kind, source.place.value))
        return { origin: pointedAt ? 'referred' : 'untrusted', source: source.label }
      }
      return { origin: untrusted.forgotten ? 'forgotten' : 'unknown' }
    },
    forgotten: (speaker) => shelves[speaker].forgotten,
    get size() {
      return person.size + workspace.size + untrusted.size
    },
  })
}
