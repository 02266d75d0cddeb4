import type { Origin } from '../../protocol/evidence.ts'
import type { Digest } from './digest.ts'
import type { FactOf, Source } from './facts.ts'
import type { Name, NameKind, Speaker } from './names.ts'

/** The origin of one name. */
export interface Known {
  readonly origin: Origin
  /** Label of the untrusted source that named it. */
  readonly source?: string
}

/** Names kept of each speaker. */
export type LedgerLimits = Readonly<Record<Speaker, number>>

/** Defaults: about 1 MB a session. */
export const LEDGER_LIMITS: LedgerLimits = { person: 2_048, workspace: 4_096, untrusted: 8_192 }

/** Which session saw which name where. First sight wins; a person naming it later wins over that. */
export interface Ledger {
  note(speaker: Speaker, names: readonly Name[], source?: Source): void
  /** Marks that names of this speaker were not all taken in. */
  lost(speaker: Speaker): void
  of(kind: NameKind, value: string): Known
  /** Whether names that this speaker said have been forgotten. */
  forgotten(speaker: Speaker): boolean
  /** Names kept. */
  readonly size: number
  /** Takes in what was learnt in an earlier run. */
  restore(fact: FactOf<'named' | 'lost'>): void
  /** All that is known, as facts that make the same ledger again. */
  facts(): readonly FactOf<'named' | 'lost'>[]
}

/** What a ledger is made of. */
export interface LedgerOptions {
  readonly digest: Digest
  readonly limits?: LedgerLimits
  /** Told of everything new. */
  readonly learnt?: (fact: FactOf<'named' | 'lost'>) => void
  /** Whether a text was read, for all that is known, whose names were never taken in. */
  readonly hasGaps?: () => boolean
}

interface Shelf {
  readonly most: number
  readonly kept: Map<string, Source | undefined>
  forgotten: boolean
}

/** Stands with names of the workspace that came up after names of strangers were forgotten: they may be those. */
const LATE: Source = { label: 'forgotten' }

const put = (shelf: Shelf, key: string, source: Source | undefined): void => {
  shelf.kept.set(key, source)
  for (const oldest of shelf.kept.keys()) {
    if (shelf.kept.size <= shelf.most) return
    shelf.kept.delete(oldest)
    shelf.forgotten = true
  }
}

/** The names of a shelf, those of one source together where they stand side by side. */
const namedFacts = (by: Speaker, { kept }: Shelf): readonly FactOf<'named'>[] => {
  const runs: { readonly keys: string[]; readonly source: Source | undefined }[] = []
  for (const [key, source] of kept) {
    const last = runs.at(-1)
    if (last !== undefined && last.source === source) last.keys.push(key)
    else runs.push({ keys: [key], source })
  }
  return runs.map(({ keys, source }) => ({ fact: 'named', by, keys, ...(source === undefined ? {} : { source }) }))
}

/** Makes the ledger of one session. */
export const createLedger = (options: LedgerOptions): Ledger => {
  const { digest, limits = LEDGER_LIMITS, learnt, hasGaps = () => false } = options
  const shelf = (speaker: Speaker): Shelf => ({ most: limits[speaker], kept: new Map(), forgotten: false })
  const shelves = { person: shelf('person'), workspace: shelf('workspace'), untrusted: shelf('untrusted') }
  const { person, workspace, untrusted } = shelves
  const keyOf = (kind: NameKind, value: string): string => digest(`${kind} ${value}`)
  const isKnown = (key: string): boolean => person.kept.has(key) || workspace.kept.has(key) || untrusted.kept.has(key)
  const forgotten = (speaker: Speaker): boolean => shelves[speaker].forgotten || (speaker === 'untrusted' && hasGaps())

  const take = ({ by, keys, source }: FactOf<'named'>): void => {
    for (const key of keys) {
      // What a stranger said stays known beneath, should the person's naming be forgotten.
      if (by === 'person') person.kept.delete(key)
      else if (isKnown(key)) continue
      put(shelves[by], key, source ?? (by === 'workspace' && forgotten('untrusted') ? LATE : undefined))
    }
  }

  return Object.freeze<Ledger>({
    note: (by, names, source) => {
      const keys = names.map(({ kind, value }) => keyOf(kind, value))
      const fresh = keys.filter((key) => (by === 'person' ? !person.kept.has(key) : !isKnown(key)))
      const from = source === undefined || by !== 'untrusted' ? {} : { source }
      take({ fact: 'named', by, keys, ...from })
      if (fresh.length > 0) learnt?.({ fact: 'named', by, keys: fresh, ...from })
    },
    lost: (by) => {
      if (shelves[by].forgotten) return
      shelves[by].forgotten = true
      learnt?.({ fact: 'lost', by })
    },
    of: (kind, value) => {
      const key = keyOf(kind, value.slice(0, 256))
      if (person.kept.has(key)) return { origin: 'person' }
      if (workspace.kept.has(key)) return { origin: workspace.kept.get(key) === undefined ? 'workspace' : 'forgotten' }
      const source = untrusted.kept.get(key)
      if (source !== undefined) {
        const { place } = source
        const pointedAt = place !== undefined && person.kept.has(keyOf(place.kind, place.value))
        return { origin: pointedAt ? 'referred' : 'untrusted', source: source.label }
      }
      return { origin: forgotten('untrusted') ? 'forgotten' : 'unknown' }
    },
    forgotten,
    get size() {
      return person.kept.size + workspace.kept.size + untrusted.kept.size
    },
    restore: (fact) => {
      if (fact.fact === 'lost') shelves[fact.by].forgotten = true
      else take(fact)
    },
    // A person's last: it may lie over a stranger's.
    facts: () =>
      (['untrusted', 'workspace', 'person'] as const).flatMap((by) => [
        ...(shelves[by].forgotten ? [{ fact: 'lost', by } as const] : []),
        ...namedFacts(by, shelves[by]),
      ]),
  })
}
