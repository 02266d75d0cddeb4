import { bareHost } from '../../protocol/network-host.ts'
import type { Evidence, Finding } from '../../protocol/evidence.ts'
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

/** Whether a call lets anything out of this machine; a tool of which little is known does, unless it only reads. */
const leaves = ({ effects, sideEffect }: Pick<Evidence, 'effects' | 'sideEffect'>, server: boolean): boolean =>
  effects.some(({ kind, targets }) => {
    if (kind === 'tool.call') return server ? sideEffect !== 'local_write' : sideEffect !== 'read_only'
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

type CallStep = StepOf<'toolCallRequest'> | StepOf<'permissionRequest'>

/** Records what an allowed call carries out, in case the rest of a secret follows in another. */
export const noteSent = (
  { payload: { tool, input } }: CallStep,
  evidence: Pick<Evidence, 'effects' | 'sideEffect'>,
  secrets: SecretMemory,
): void => {
  if (secrets.count === 0 || !leaves(evidence, tool.server !== undefined)) return
  const hosts = hostsOf(evidence)
  secrets.sent(saidIn(input), (own) => belongs(hosts, own))
}

/** Findings for secrets of the session that a call would let out to where they do not belong. */
export const seenSecrets = (
  step: CallStep,
  evidence: Pick<Evidence, 'effects' | 'sideEffect'>,
  secrets: SecretMemory,
): readonly Finding[] => {
  const { tool, input } = step.payload
  if (secrets.count === 0 || !leaves(evidence, tool.server !== undefined)) return []
  const hosts = hostsOf(evidence)
  const strayed = secrets.seenIn(saidIn(input)).filter((own) => !belongs(hosts, own))
  if (strayed.length === 0) return []
  const [pointer, end] = longest(input)
  return [
    {
      category: 'exfiltration',
      type: 'seen-secret',
      severity: 'critical',
      confidence: 0.95,
      span: { pointer, start: 0, end },
      detector: 'labels',
    },
  ]
}
