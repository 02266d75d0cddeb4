import type { Effect, OriginRole, SideEffectClass, Target, TargetOrigin } from '../../protocol/evidence.ts'
import { isArray } from '../../protocol/json.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { bareHost, domainOf, isLocal, isShared } from './host-place.ts'
import type { Known, Ledger } from './ledger.ts'
import type { Name } from './names.ts'
import { commandLine, namesIn, packageName } from './names.ts'
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

/** Rows of one call; a call that names more has its others left out, and those are most likely alike. */
const MOST = 64

type PathTarget = Extract<Target, { readonly type: 'path' }>
type Part = Pick<TargetOrigin, 'effect' | 'role' | 'target'> & { readonly name: Name }
type Look = (name: Name) => Known

const row = (part: Part, known: Known): NamedOrigin => ({
  ...part,
  origin: known.origin,
  ...(known.source === undefined ? {} : { source: known.source }),
})

const isOurs = ({ origin }: Known): boolean => origin === 'person' || origin === 'workspace'

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
    return said.origin === 'person' ? said : ledger.of('package', value)
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

const recipientsOf = (input: JsonObject): readonly string[] => {
  const named = Object.entries(input).flatMap(([member, value]: readonly [string, Json]) => {
    const texts = stringsOf(value, 32)
    const isRecipient = RECIPIENT.test(member)
    return texts
      .filter((text) => text.length <= 512)
      .flatMap((text) => (isRecipient && !isArray(value) ? text.split(/[,;]/, 32) : [text]))
      .map((text) => text.trim().replace(/^.*<([^<>\s]+)>$/, '$1'))
      .filter((text) => text.length > 1 && text.length <= 256 && (isRecipient || WHOLE_ADDRESS.test(text)))
  })
  return [...new Set(named)].slice(0, 32)
}

/** A fetch whose address says more than any text has: what it says is the agent's. */
const isComposed = (input: JsonObject, ledger: Ledger): boolean =>
  stringsOf(input, 16)
    .flatMap((text) => namesIn(text, 'untrusted').names)
    .some(({ kind, value }) => {
      if (kind !== 'url') return false
      const said = value.slice(value.search(/[?#]|(?<=[^:/]\/)/) + 1)
      return (
        said.length >= 16 && !['person', 'workspace', 'referred', 'untrusted'].includes(ledger.of('url', value).origin)
      )
    })

/** Says for everything a call names who named it first. */
export const originsOf = (view: CallView, ledger: Ledger, tainted: TaintedStore): readonly NamedOrigin[] => {
  const { input, effects, sideEffect, home } = view
  const host = lookHost(ledger)
  const path = lookPath(ledger, home)
  const pack = lookPackage(ledger)
  const address = lookAddress(ledger)
  const rows: NamedOrigin[] = []
  const isRun = effects.some(({ kind, by }) => kind === 'exec.run' && RUNNERS.has(by))

  const putPath = (effect: Effect, target: PathTarget): void => {
    const part = (role: OriginRole): Part => {
      const name: Name = { kind: 'path', value: target.path }
      return { effect: effect.kind, role, target: target.path, name }
    }
    const runs = effect.kind === 'exec.run'
    const isOutside = OUTSIDE.has(target.zone)
    if (CHANGES.has(effect.kind) && isOutside) rows.push(row(part('outside'), path([target.path, target.raw])))
    if (runs && isForeignProgram(target)) rows.push(row(part('target'), path([target.path, target.raw])))
    const source = runs ? tainted.pathSource(target.path) : undefined
    if (source?.place !== undefined && source.place.kind === 'host')
      rows.push(row({ ...part('content'), name: source.place }, host(source.place.value)))
  }

  for (const effect of effects) {
    if (rows.length >= MOST) break
    if (effect.kind === 'package.install')
      for (const part of packageParts(effect)) rows.push(row(part, pack(part.name)))
    else if (isRun && effect.kind === 'exec.run' && !RUNNERS.has(effect.by))
      for (const part of packageParts(effect)) rows.push(row(part, pack(part.name)))
    for (const target of effect.targets) {
      if (target.type === 'host') for (const part of hostPart(effect, target)) rows.push(row(part, host(part.target)))
      else if (target.type === 'path') putPath(effect, target)
      else if (target.type === 'resource' && effect.kind === 'net.send' && WHOLE_ADDRESS.test(target.name)) {
        const part = addressPart(effect.kind, target.name)
        rows.push(row(part, address(part.name)))
      }
    }
  }

  for (const [where, { place }] of broughtIn(effects)) {
    const isOutside = effects.some(
      ({ kind, targets }) =>
        kind === 'fs.write' &&
        targets.some((one) => one.type === 'path' && one.path === where && OUTSIDE.has(one.zone)),
    )
    if (isOutside && place !== undefined)
      rows.push(row({ effect: 'fs.write', role: 'content', target: where, name: place }, host(place.value)))
  }

  const fetched = rows.find(
    ({ effect, role, origin }) => effect === 'net.fetch' && role === 'target' && !isOurs({ origin }),
  )
  if (fetched !== undefined && isComposed(input, ledger)) rows.push({ ...fetched, role: 'content' })

  if (REACHES_PEOPLE.has(sideEffect) && effects.some(({ kind }) => kind === 'tool.call'))
    for (const value of recipientsOf(input)) {
      const part = addressPart('tool.call', value)
      rows.push(row(part, address(part.name)))
    }

  const command = input['command']
  if (typeof command === 'string' && command.length <= 256) {
    const name: Name = { kind: 'command', value: commandLine(command) }
    const known = ledger.of('command', name.value)
    if (known.source !== undefined)
      rows.push(row({ effect: 'exec.run', role: 'order', target: name.value, name }, known))
  }
  return rows.slice(0, MOST)
}
