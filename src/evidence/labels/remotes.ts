import type { Effect } from '../../protocol/evidence.ts'
import type { Source } from './facts.ts'
import { isLocal } from './host-place.ts'
import { hostName } from './reading.ts'
import type { TaintedStore } from './tainted-store.ts'

/** A remote of a repository, and its place on the network. */
export interface Remote {
  /**
   * Path of git's configuration of the remote, which has its mark, as a parent folder has that of a cloned repository.
   */
  readonly path: string
  readonly name: string
  readonly place: string
}

const SETS: ReadonlySet<Effect['kind']> = new Set(['vcs.change', 'vcs.remote'])
const KEY = /^remote\.(.+)\.(?:url|pushurl)$/
const NAMED = /^remote:(.+)$/
const IN = /^in:(.+)$/

const refsOf = (folder: string, name: string): string => `${folder}/.git/refs/remotes/${name}`

const resourceOf = ({ targets }: Effect, form: RegExp): string | undefined =>
  targets
    .flatMap((one) => (one.type === 'resource' ? [form.exec(one.name)?.[1] ?? ''] : []))
    .find((name) => name !== '')

/** The remotes that a call names anew or leads elsewhere. */
export const remotesSet = (effects: readonly Effect[]): readonly Remote[] =>
  effects.flatMap((effect) => {
    if (!SETS.has(effect.kind)) return []
    const [name, folder] = [resourceOf(effect, KEY), resourceOf(effect, IN)]
    const host = effect.targets.find((one) => one.type === 'host')
    if (name === undefined || folder === undefined || host === undefined || isLocal(host.host)) return []
    return [{ path: refsOf(folder, name), name, place: hostName(host) }]
  })

/** Every folder from this one up. */
const upwards = (folder: string): readonly string[] => {
  const parts = folder.split('/').filter(Boolean)
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`)
}

/** Renamed remotes, with their known facts. */
export const remotesRenamed = (
  effects: readonly Effect[],
  tainted: TaintedStore,
): readonly (readonly [path: string, source: Source])[] =>
  effects.flatMap((effect) => {
    const [to, from, folder] = [KEY, NAMED, IN].map((form) => resourceOf(effect, form))
    if (effect.kind !== 'vcs.change' || to === undefined || from === undefined || folder === undefined) return []
    const known = upwards(folder).map((one) => tainted.pathSource(refsOf(one, from)))
    const source = known.find((one) => one !== undefined)
    return source === undefined ? [] : [[refsOf(folder, to), source] as const]
  })

/** The places behind the names of remotes that a call publishes to, as far as a session of this guard gave them. */
export const publishedTo = (effects: readonly Effect[], tainted: TaintedStore): readonly Source[] => {
  const published = effects.filter(({ kind }) => kind === 'vcs.publish')
  if (published.length === 0) return []
  const now = remotesSet(effects)
  return published.flatMap((effect) => {
    const [name, folder] = [resourceOf(effect, NAMED), resourceOf(effect, IN)]
    if (name === undefined || folder === undefined) return []
    const paths = upwards(folder).map((one) => refsOf(one, name))
    const just = now.find(({ path }) => paths.includes(path))
    if (just !== undefined) return [{ label: `remote ${name}`, place: { kind: 'host', value: just.place } } as const]
    const known = paths.map((path) => tainted.pathSource(path)).find((source) => source !== undefined)
    return known === undefined ? [] : [known]
  })
}
