import type { Effect, Origin, OriginRole, SideEffectClass, Target, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { bareHost, domainOf, isLocal, isShared } from './host-place.ts'
import type { Known, Ledger } from './ledger.ts'
import type { Name } from './names.ts'
import { commandLine, namesIn, packageName, scopeOf } from './names.ts'
import { broughtIn, hostName } from './reading.ts'
import { stringsOf, type TaintedStore } from './tainted-store.ts'

/** A call as the memory looks at it. */
export interface CallView {
  readonly input: JsonObject
  readonly effects: readonly Effect[]
  readonly sideEffect?: SideEffectClass
  /** The person's home folder: `~/a` and its whole path are one name. */
  readonly home: string
}

/** An origin, with the name that the person may take over by agreeing. */
export interface NamedOrigin extends TargetOrigin {
  readonly name: Name
}

/** Rows of one sort that are kept of a call that names much. */
const FEW = 8

type PathTarget = Extract<Target, { readonly type: 'path' }>
type Part = Pick<TargetOrigin, 'effect' | 'role' | 'target'> & { readonly name: Name }
type Look = (name: Name) => Known

const row = (part: Part, known: Known): NamedOrigin => ({
  ...part,
  origin: known.origin,
  ...(known.source === undefined ? {} : { source: known.source }),
})

const isOurs = ({ origin }: Pick<Known, 'origin'>): boolean => origin === 'person' || origin === 'workspace'

/**
 * A host is its owner's, if the person or the workspace named another of the owner's. One whose owner the person called
 * by a mere word ("the Stripe API") was meant, though another may have taken that name elsewhere.
 */
const lookHost =
  (ledger: Ledger) =>
  (place: string): Known => {
    const known = ledger.of('host', place)
    const domain = isOurs(known) ? undefined : domainOf(place)
    if (domain === undefined) return known
    const owner = ledger.of('domain', domain)
    if (isOurs(owner)) return owner
    const word = domain.split('.', 1)[0] ?? ''
    const isMeant = word.length > 3 && ledger.of('word', word).origin === 'person'
    return isMeant && known.origin === 'untrusted' ? { ...known, origin: 'referred' } : known
  }

const lookPath =
  (ledger: Ledger, home: string) =>
  (paths: readonly string[]): Known => {
    const spellings = paths.flatMap((path) =>
      path.startsWith(`${home}/`) ? [path, `~${path.slice(home.length)}`] : [path],
    )
    const folders = spellings.map((path) => path.slice(0, path.lastIndexOf('/'))).filter((path) => path.length > 2)
    const exact = [...spellings, ...spellings.map((path) => `${path}/`)].map((path) => ledger.of('path', path))
    // The folder that someone named says whose idea its files are; folders that everyone names say nothing.
    const above = folders.flatMap((path) => [path, `${path}/`]).map((path) => [path, ledger.of('path', path)] as const)
    const own = above.filter(([path, known]) => isOurs(known) || path.split('/').filter(Boolean).length > 2)
    const found = [...exact, ...own.map(([, known]) => known)]
    return found.find(isOurs) ?? found.find(({ source }) => source !== undefined) ?? found[0] ?? { origin: 'unknown' }
  }

const lookPackage =
  (ledger: Ledger): Look =>
  ({ value }) => {
    const said = ledger.of('word', value)
    if (said.origin === 'person') return said
    const known = ledger.of('package', value)
    const scope = isOurs(known) ? undefined : scopeOf(value)
    const owner = scope === undefined ? known : ledger.of('package', scope)
    return isOurs(owner) ? owner : known
  }

/** Someone the person called by name, at an address that only a text gave, was meant and may still be another. */
const lookAddress =
  (ledger: Ledger): Look =>
  ({ value }) => {
    const known = ledger.of('address', value)
    if (isOurs(known) || ledger.of('word', value).origin === 'person')
      return isOurs(known) ? known : { origin: 'person' }
    const names = value.split('@', 1)[0]?.split(/[._+-]/) ?? []
    const isMeant = names.some((name) => name.length > 2 && ledger.of('word', name).origin === 'person')
    return isMeant && known.origin === 'untrusted' ? { ...known, origin: 'referred' } : known
  }

const OUTSIDE: ReadonlySet<string> = new Set(['home-file', 'other', 'system'])
const CHANGES: ReadonlySet<Effect['kind']> = new Set(['fs.write', 'fs.delete', 'fs.permission'])
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pnpx'])

/** A program file that is neither the workspace's nor the system's. */
const isForeignProgram = ({ path, zone }: PathTarget): boolean =>
  (OUTSIDE.has(zone) || zone === 'temp') && !/^\/(?:usr|s?bin|System|Library|nix\/store)\//.test(path)

const hostPart = (effect: Effect, target: Extract<Target, { readonly type: 'host' }>): readonly Part[] => {
  if (isLocal(bareHost(target.host))) return []
  const place = hostName(target)
  // Where strangers share a host, its bare name says nothing.
  if (isShared(place)) return []
  return [{ effect: effect.kind, role: 'target', target: place, name: { kind: 'host', value: place } }]
}

const packageParts = ({ targets }: Effect): readonly Part[] =>
  targets.flatMap((target): readonly Part[] => {
    const raw = target.type === 'resource' ? target.name : target.type === 'command' ? target.name : ''
    if (!/^@?[A-Za-z]/.test(raw) || /^\.|\.(?:txt|toml|tgz|whl|json)$/.test(raw)) return []
    const value = packageName(raw)
    return [{ effect: 'package.install', role: 'target', target: value, name: { kind: 'package', value } }]
  })

const addressPart = (effect: Effect['kind'], value: string): Part => ({
  effect,
  role: 'recipient',
  target: value,
  name: { kind: 'address', value: value.toLowerCase() },
})

const RECIPIENT =
  /^(?:to|cc|bcc|recipients?|emails?|(?:email|to|recipient|destination|target)_?(?:address|addresses|account|iban|user|id)|address(?:es)?|account(?:_?(?:id|number))?|iban|channels?(?:_?id)?|users?(?:_?(?:name|id))?|phone(?:_?number)?|payee|beneficiary|participants|attendees|invitees?|chat_?id)$/i
const WHOLE_ADDRESS = /^[^\s@]{1,64}@[^\s@]{3,253}$|^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/
const REACHES_PEOPLE: ReadonlySet<SideEffectClass | undefined> = new Set([
  'communication',
  'financial',
  'external_write',
  'privileged',
])

/** `Name <a@b>` names a@b. */
const bareAddress = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.endsWith('>') ? trimmed.slice(trimmed.lastIndexOf('<') + 1, -1) : trimmed
}

const recipientsOf = (input: JsonObject): readonly string[] =>
  Object.entries(input).flatMap(([member, value]: readonly [string, Json]) => {
    const isRecipient = RECIPIENT.test(member)
    return stringsOf(value)
      .flatMap((text) => (isRecipient ? text.split(/[,;]/) : text.length <= 512 ? [text] : []))
      .map(bareAddress)
      .filter((text) => text.length > 1 && (isRecipient || WHOLE_ADDRESS.test(text)))
  })

const SEEN: readonly Origin[] = ['person', 'workspace', 'referred', 'untrusted']

/** A fetch whose address says more than any text has: what it says is the agent's. */
const isComposed = (input: JsonObject, ledger: Ledger): boolean =>
  stringsOf(input, 16)
    .flatMap((text) => namesIn(text, 'untrusted').names)
    .some(({ kind, value }) => {
      if (kind !== 'url') return false
      const said = /[^:/][/?#](.*)$/.exec(value)?.[1] ?? ''
      return said.length >= 16 && !SEEN.includes(ledger.of('url', value).origin)
    })

/** How names of each kind are looked up. */
interface Looks {
  readonly host: (place: string) => Known
  readonly path: (paths: readonly string[]) => Known
  readonly pack: Look
  readonly address: Look
}

const pathRows = (effect: Effect, target: PathTarget, looks: Looks, tainted: TaintedStore): readonly NamedOrigin[] => {
  const runs = effect.kind === 'exec.run'
  const name: Name = { kind: 'path', value: target.path }
  const part = (role: OriginRole): Part => ({ effect: effect.kind, role, target: target.path, name })
  const rows: NamedOrigin[] = []
  const spellings = [target.path, target.raw]
  if (CHANGES.has(effect.kind) && OUTSIDE.has(target.zone)) rows.push(row(part('outside'), looks.path(spellings)))
  if (!runs) return rows
  if (isForeignProgram(target)) rows.push(row(part('target'), looks.path(spellings)))
  const place = tainted.pathSource(target.path)?.place
  if (place?.kind === 'host') rows.push(row({ ...part('content'), name: place }, looks.host(place.value)))
  return rows
}

const targetRows = (effect: Effect, target: Target, looks: Looks, tainted: TaintedStore): readonly NamedOrigin[] => {
  switch (target.type) {
    case 'host':
      return hostPart(effect, target).map((part) => row(part, looks.host(part.target)))
    case 'path':
      return pathRows(effect, target, looks, tainted)
    case 'resource': {
      if (effect.kind !== 'net.send' || !WHOLE_ADDRESS.test(target.name)) return []
      const part = addressPart(effect.kind, target.name)
      return [row(part, looks.address(part.name))]
    }
    case 'command':
    case 'unknown':
      return []
    default:
      return target satisfies never
  }
}

const packageRows = (effects: readonly Effect[], { pack }: Looks): readonly NamedOrigin[] => {
  const runner = effects.some(({ kind, by }) => kind === 'exec.run' && RUNNERS.has(by))
  return effects
    .filter(({ kind, by }) => kind === 'package.install' || (runner && kind === 'exec.run' && !RUNNERS.has(by)))
    .flatMap(packageParts)
    .map((part) => row(part, pack(part.name)))
}

/** What is put outside the workspace straight from the network, by the host it comes from. */
const downloadRows = (effects: readonly Effect[], { host }: Looks): readonly NamedOrigin[] => {
  const outside = new Set(
    effects.flatMap(({ kind, targets }) =>
      kind === 'fs.write'
        ? targets.flatMap((one) => (one.type === 'path' && OUTSIDE.has(one.zone) ? [one.path] : []))
        : [],
    ),
  )
  return broughtIn(effects).flatMap(([where, { place }]) =>
    place === undefined || !outside.has(where)
      ? []
      : [row({ effect: 'fs.write', role: 'content', target: where, name: place }, host(place.value))],
  )
}

const recipientRows = ({ input, effects, sideEffect }: CallView, { address }: Looks): readonly NamedOrigin[] =>
  REACHES_PEOPLE.has(sideEffect) && effects.some(({ kind }) => kind === 'tool.call')
    ? recipientsOf(input).map((value) => {
        const part = addressPart('tool.call', value)
        return row(part, address(part.name))
      })
    : []

const orderRows = ({ input }: CallView, ledger: Ledger): readonly NamedOrigin[] => {
  const command = input['command']
  if (typeof command !== 'string' || command.length > 256) return []
  const name: Name = { kind: 'command', value: commandLine(command) }
  const known = ledger.of('command', name.value)
  return known.source === undefined ? [] : [row({ effect: 'exec.run', role: 'order', target: name.value, name }, known)]
}

/** A few rows of each sort: however much a call names, no sort of origin is crowded out by another. */
const sample = (rows: readonly NamedOrigin[]): readonly NamedOrigin[] => {
  if (rows.length <= FEW) return rows
  const sorts = Map.groupBy(rows, ({ effect, role, origin }) => `${effect}+${role}@${origin}`)
  return [...sorts.values()].flatMap((alike) => alike.slice(0, FEW))
}

/** Says for everything a call names who named it first. */
export const originsOf = (view: CallView, ledger: Ledger, tainted: TaintedStore): readonly NamedOrigin[] => {
  const { input, effects, home } = view
  const looks: Looks = {
    host: lookHost(ledger),
    path: lookPath(ledger, home),
    pack: lookPackage(ledger),
    address: lookAddress(ledger),
  }
  const named = effects.flatMap((effect) =>
    effect.targets.flatMap((target) => targetRows(effect, target, looks, tainted)),
  )
  const fetched = named.find((one) => one.effect === 'net.fetch' && !isOurs(one))
  return sample([
    ...named,
    ...(fetched !== undefined && isComposed(input, ledger) ? [{ ...fetched, role: 'content' as const }] : []),
    ...packageRows(effects, looks),
    ...downloadRows(effects, looks),
    ...recipientRows(view, looks),
    ...orderRows(view, ledger),
  ])
}
