import { bareHost } from '../../protocol/network-host.ts'
import type { Evidence, Finding, Target, TargetOrigin } from '../../protocol/evidence.ts'
import { isArray } from '../../protocol/json.ts'
import type { Json } from '../../protocol/json.ts'
import { escapeToken } from '../../protocol/json-pointer.ts'
import type { StepOf } from '../../protocol/step.ts'
import { domainOf, isLocal } from './host-place.ts'
import type { SecretMemory } from './secret-memory.ts'
import { saidIn } from './said-in.ts'

const OUTWARD: ReadonlySet<string> = new Set([
  'net.send',
  'net.fetch',
  'vcs.publish',
  'package.publish',
  'exec.remote',
  'exec.shell-bridge',
  'secret.send',
])

/** Names of branches and tags and messages of commits are sent with the next push. */
export const isHistory = (target: Target): boolean =>
  target.type === 'resource' && /^(?:add|commit|tag|branch|checkout|switch|notes)$/.test(target.name)

/** Whether a call lets anything out of this machine; a tool of which little is known does, unless it only reads. */
const leaves = ({ effects, sideEffect }: Pick<Evidence, 'effects' | 'sideEffect'>, server: boolean): boolean =>
  effects.some(({ kind, targets }) => {
    if (kind === 'tool.call') return server ? sideEffect !== 'local_write' : sideEffect !== 'read_only'
    if (kind === 'vcs.change') return targets.some(isHistory)
    if (!OUTWARD.has(kind)) return false
    return targets.length === 0 || targets.some((one) => one.type !== 'host' || !isLocal(one.host))
  })

/** Every host that a call reaches; `undefined` when it reaches one that is not known. */
const hostsOf = ({ effects }: Pick<Evidence, 'effects'>): readonly string[] | undefined => {
  const targets = effects.filter(({ kind }) => OUTWARD.has(kind)).flatMap((effect) => effect.targets)
  if (targets.length === 0 || targets.some(({ type }) => type === 'unknown')) return undefined
  return targets.flatMap((one) => (one.type === 'host' ? [bareHost(one.host)] : []))
}

const belongs = (hosts: readonly string[] | undefined, own: readonly string[]): boolean =>
  hosts !== undefined &&
  hosts.length > 0 &&
  hosts.every((host) => isLocal(host) || own.includes(host) || own.includes(domainOf(host) ?? ''))

/** Pointer and length of the longest string of an input, where people look first. */
const longest = (root: Json): readonly [pointer: string, length: number] => {
  let best: readonly [string, number] = ['/input', 0]
  if (typeof root !== 'object' || root === null || isArray(root)) return best
  for (const [member, value] of Object.entries(root))
    if (typeof value === 'string' && value.length > best[1]) best = [`/input/${escapeToken(member)}`, value.length]
  return best
}

/** Secrets that would go out: the findings, and where each was read. */
export interface FoundSecrets {
  readonly findings: readonly Finding[]
  readonly origins: readonly TargetOrigin[]
}

const NOTHING: FoundSecrets = { findings: [], origins: [] }
/** Secrets of one call whose source is shown. */
const MOST_SHOWN = 8

const findingAt = (pointer: string, start: number, end: number, type = 'seen-secret'): Finding => ({
  category: 'exfiltration',
  type,
  severity: 'critical',
  confidence: 0.95,
  span: { pointer, start, end },
  detector: 'labels',
})

type CallStep = StepOf<'toolCallRequest'> | StepOf<'permissionRequest'>

type Analysed = Pick<Evidence, 'effects' | 'sideEffect'>

/** Whether a call goes only where a secret with these owners belongs. */
export const goesHome = (evidence: Analysed): ((own: readonly string[]) => boolean) => {
  const hosts = hostsOf(evidence)
  return (own) => belongs(hosts, own)
}

/** Records what an allowed call carries out, in case the rest of a secret follows in another. */
export const noteSent = ({ payload: { tool, input } }: CallStep, evidence: Analysed, secrets: SecretMemory): void => {
  if (secrets.count > 0 && leaves(evidence, tool.server !== undefined)) secrets.sent(saidIn(input), goesHome(evidence))
}

/** The secrets of the session that a call would let out to where they do not belong. */
export const seenSecrets = (step: CallStep, evidence: Analysed, secrets: SecretMemory): FoundSecrets => {
  const { tool, input } = step.payload
  if (secrets.count === 0 || !leaves(evidence, tool.server !== undefined)) return NOTHING
  const isHome = goesHome(evidence)
  const strayed = secrets.seenIn(saidIn(input)).filter(({ own }) => !isHome(own))
  if (strayed.length === 0) return NOTHING
  const [pointer, end] = longest(input)
  const [effect = 'tool.call'] = evidence.effects
    .filter(({ kind }) => kind === 'tool.call' || OUTWARD.has(kind))
    .map(({ kind }) => kind)
  return {
    findings: [findingAt(pointer, 0, end)],
    origins: strayed
      .filter(({ from }) => from !== '')
      .slice(0, MOST_SHOWN)
      .map(({ from }) => ({ effect, role: 'content', target: 'a secret', origin: 'workspace', source: from })),
  }
}

const ADDRESS = /https?:\/\/[^\s"'<>)\]]{8,8192}/gi
/** Addresses of one answer that are looked at. */
const MOST_ADDRESSES = 64

/** Patterns that are applied to whole texts, for the test of linear time. */
export const ANSWER_PATTERNS = { address: ADDRESS }

/** Before the address of an image. */
const IMAGE = /(?:!\[[^\]]{0,256}\]\(\s{0,4}<?|<img\b[^>]{0,256}\ssrc\s?=\s?["']?|url\(["']?)$/i

/** Addresses in an answer that carry a secret of the session. An image is fetched by who shows it, without a click. */
export const secretsInAnswer = (text: string, pointer: string, secrets: SecretMemory): readonly Finding[] => {
  if (secrets.count === 0) return []
  return [...text.matchAll(ADDRESS)].slice(0, MOST_ADDRESSES).flatMap(({ 0: address, index }) => {
    const host = /^https?:\/\/([^/?#:@]+)/i.exec(address)?.[1]
    const hosts = host === undefined ? undefined : [bareHost(host)]
    if (secrets.seenIn([address]).every(({ own }) => belongs(hosts, own))) return []
    const type = IMAGE.test(text.slice(Math.max(0, index - 300), index)) ? 'shown-secret' : 'seen-secret'
    return [findingAt(pointer, index, index + address.length, type)]
  })
}
