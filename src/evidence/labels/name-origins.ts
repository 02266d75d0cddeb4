import { dropOldest } from '../../bounded/bounded-map.ts'
import type { Origin } from '../../protocol/evidence.ts'
import type { Digest } from './digest.ts'
import { NAME_GROUPS } from './facts.ts'
import type { FactOf, NameGroup, Source } from './facts.ts'
import type { Name, NameKind, Speaker } from './names.ts'

/** The origin of one name. */
export interface Known {
  readonly origin: Origin
  /** Label of the untrusted source that named it. */
  readonly source?: string
}

/** Names kept of each speaker, plain names apart. */
export type NameOriginsLimits = Readonly<Record<NameGroup, number>>

/** Defaults: about 1 MB a session. */
const LEDGER_LIMITS: NameOriginsLimits = {
  person: 2_048,
  workspace: 4_096,
  untrusted: 8_192,
  'workspace mentions': 2_048,
  'untrusted mentions': 4_096,
}

/** Which session saw which name where. First sight wins; a person naming it later wins over that. */
export interface NameOrigins {
  note(speaker: Speaker, names: readonly Name[], source?: Source): void
  /** Marks that names of this speaker were not all taken in. */
  lost(shelf: NameGroup): void
  of(kind: NameKind, value: string): Known
  /** Whether names from this speaker have been dropped. */
  forgotten(shelf: NameGroup): boolean
  /** Names kept. */
  readonly size: number
  /** Restores what was learnt in an earlier run. */
  restore(fact: FactOf<'named' | 'lost'>): void
  /** All that is known, as facts that make the same again. */
  facts(): readonly FactOf<'named' | 'lost'>[]
}

/** What it is made of. */
export interface NameOriginsOptions {
  readonly digest: Digest
  readonly limits?: NameOriginsLimits
  /** Told of everything new. */
  readonly learnt?: (fact: FactOf<'named' | 'lost'>) => void
  /** Whether a text was read, for all that is known, whose names were never taken in. */
  readonly hasGaps?: () => boolean
}

interface GroupState {
  readonly most: number
  readonly kept: Map<string, Source | undefined>
  forgotten: boolean
}

/** Marks names of the workspace that appeared after names of strangers were forgotten: they may be those. */
const LATE: Source = { label: 'forgotten' }

const put = (shelf: GroupState, key: string, source: Source | undefined): void => {
  shelf.kept.set(key, source)
  dropOldest(shelf.kept, shelf.most, () => (shelf.forgotten = true))
}

/** The names of a group, with those of one source together where they are adjacent. */
const namedFacts = (by: NameGroup, { kept }: GroupState): readonly FactOf<'named'>[] => {
  const runs: { readonly keys: string[]; readonly source: Source | undefined }[] = []
  for (const [key, source] of kept) {
    const last = runs.at(-1)
    if (last !== undefined && last.source === source) last.keys.push(key)
    else runs.push({ keys: [key], source })
  }
  return runs.map(({ keys, source }) => ({ fact: 'named', by, keys, ...(source === undefined ? {} : { source }) }))
}

/** Makes those of one session. */
export const createNameOrigins = (options: NameOriginsOptions): NameOrigins => {
  const { digest, limits = LEDGER_LIMITS, learnt, hasGaps = () => false } = options
  const shelf = (name: NameGroup): GroupState => ({ most: limits[name], kept: new Map(), forgotten: false })
  const shelves: Readonly<Record<NameGroup, GroupState>> = {
    person: shelf('person'),
    workspace: shelf('workspace'),
    untrusted: shelf('untrusted'),
    'workspace mentions': shelf('workspace mentions'),
    'untrusted mentions': shelf('untrusted mentions'),
  }
  const { person } = shelves
  /** The groups of a name of this kind: its strangers' and the workspace's. */
  const shelvesOf = (kind: NameKind): readonly [untrusted: NameGroup, workspace: NameGroup] =>
    kind === 'mention' ? ['untrusted mentions', 'workspace mentions'] : ['untrusted', 'workspace']
  const keyOf = (kind: NameKind, value: string): string => digest(`${kind} ${value}`)
  const all = Object.values(shelves)
  const isKnown = (key: string): boolean => all.some(({ kept }) => kept.has(key))
  const isForgotten = (name: NameGroup): boolean =>
    shelves[name].forgotten || (name.startsWith('untrusted') && hasGaps())
  const unnamed = (strangers: NameGroup): Known => ({ origin: isForgotten(strangers) ? 'forgotten' : 'unknown' })

  const take = ({ by, keys, source }: FactOf<'named'>): void => {
    for (const key of keys) {
      // A stranger's naming stays stored, in case the person's is dropped.
      if (by === 'person') person.kept.delete(key)
      else if (isKnown(key)) continue
      put(shelves[by], key, source ?? (by === 'workspace' && isForgotten('untrusted') ? LATE : undefined))
    }
  }
  const noteOn = (by: NameGroup, names: readonly Name[], source: Source | undefined): void => {
    if (names.length === 0) return
    const keys = names.map(({ kind, value }) => keyOf(kind, value))
    const fresh = keys.filter((key) => (by === 'person' ? !person.kept.has(key) : !isKnown(key)))
    const from = source === undefined || !by.startsWith('untrusted') ? {} : { source }
    take({ fact: 'named', by, keys, ...from })
    if (fresh.length > 0) learnt?.({ fact: 'named', by, keys: fresh, ...from })
  }

  return Object.freeze<NameOrigins>({
    note: (by, names, source) => {
      if (by === 'person') return noteOn(by, names, source)
      const isMention = ({ kind }: Name): boolean => kind === 'mention'
      noteOn(
        by,
        names.filter((name) => !isMention(name)),
        source,
      )
      noteOn(`${by} mentions`, names.filter(isMention), source)
    },
    lost: (by) => {
      if (shelves[by].forgotten) return
      shelves[by].forgotten = true
      learnt?.({ fact: 'lost', by })
    },
    of: (kind, value) => {
      const [strangers, own] = shelvesOf(kind)
      // Hashing costs more than all the rest, so texts without names are skipped.
      if (person.kept.size + shelves[own].kept.size + shelves[strangers].kept.size === 0) return unnamed(strangers)
      const key = keyOf(kind, value.slice(0, 256))
      if (person.kept.has(key)) return { origin: 'person' }
      const { kept } = shelves[own]
      if (kept.has(key)) return { origin: kept.get(key) === undefined ? 'workspace' : 'forgotten' }
      const source = shelves[strangers].kept.get(key)
      if (source !== undefined) {
        const { place } = source
        const pointedAt = place !== undefined && person.kept.has(keyOf(place.kind, place.value))
        return { origin: pointedAt ? 'referred' : 'untrusted', source: source.label }
      }
      return unnamed(strangers)
    },
    forgotten: isForgotten,
    get size() {
      return all.reduce((sum, { kept }) => sum + kept.size, 0)
    },
    restore: (fact) => {
      if (fact.fact === 'lost') shelves[fact.by].forgotten = true
      else take(fact)
    },
    // A person's last: it may override a stranger's.
    facts: () =>
      NAME_GROUPS.toReversed().flatMap((by) => [
        ...(shelves[by].forgotten ? [{ fact: 'lost', by } as const] : []),
        ...namedFacts(by, shelves[by]),
      ]),
  })
}
