import { createRefusedAnswers } from '../guardians/answers/refused-answers.ts'
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import type { Clock } from '../core/clock.ts'
import type { Detector } from '../evidence/detectors/detector.ts'
import type { SessionLabels } from '../evidence/labels/session-labels.ts'
import { composeGuard } from './guard/compose-guard.ts'
import type { ComposedGuard, GuardParts, ApprovalOptions } from './guard/compose-guard.ts'
import { guardSurface } from './integrity/guard-surface.ts'
import type { GuardianConfig } from '../config/guardian-schema.ts'
import type { StatefulGuardianEnvironment } from './guardians/guardian-environment.ts'
import { createDetectors } from './detection/detectors.ts'
import { configLocations } from '../config/locations.ts'
import type { OpenIntegrity } from './integrity/open-integrity.ts'
import { createMachineWorld } from './machine/machine-world.ts'
import { ownSecrets } from './detection/own-secrets.ts'
import { createGuardiansInForce } from './guardians/guardians-in-force.ts'
import type { Config } from '../config/schema.ts'
import { openGuardians } from './guardians/open-guardians.ts'
import type { RemoteSeats, OpenedGuardians } from './guardians/open-guardians.ts'
import type { OpenSettings } from '../config/settings.ts'
import { createSqlParser } from './detection/sql-parser.ts'

/** What a guard in force is put together from, again and again. */
export interface GuardInForceParts {
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** TCP port of the guard's server; 0 for one that is not known yet. */
  readonly port: number
  /** Files and folders that are the guard's beside its own, absolute. */
  readonly own: readonly string[]
  readonly settings: Pick<OpenSettings, 'current'>
  readonly labels: SessionLabels
  readonly approvals: ApprovalOptions
  readonly clock: Clock
  /** Asked of every step beside the guardians elsewhere, and after them. */
  readonly integrity: Pick<OpenIntegrity, 'seat' | 'mustEnforce' | 'decided'>
  /** Guardians elsewhere beside those of the settings, asked after them. */
  readonly guardians: readonly GuardianConfig[]
  /** What guardians elsewhere have to tell beside their opinions. */
  readonly told: Pick<StatefulGuardianEnvironment, 'late' | 'count' | 'say' | 'fates' | 'fault'>
}

/** The guard as its settings are now. */
export interface GuardInForce {
  current(): ComposedGuard
  /** One like it that remembers for itself, waits for nobody and asks nobody elsewhere. */
  readonly apart: () => ComposedGuard
  /** One like it that waits for nobody and asks nobody elsewhere: what can be said at once. */
  readonly atOnce: () => ComposedGuard
  /** Whether what can be said at once is all there is to say. */
  readonly instant: () => boolean
  /** Puts it together anew. @throws SallyportError when the settings cannot be used; then the one before stays */
  readonly compose: (port?: number) => void
  /** Has guardians elsewhere say of steps that are past what is yet to come, as long as there is time, and lets go of them. */
  readonly close: (withinMs: number) => Promise<void>
  /** Port of its server. */
  port(): number
}

/** Characters of text that are scanned while a host waits with all that it does: a second at most. */
const AT_ONCE = 1 << 20

const MACHINE = { makeId: () => randomUUID(), random: () => Math.random() }

/** Puts a guard together for the first time. @throws SallyportError when the settings cannot be used */
export const createGuardInForce = (parts: GuardInForceParts): GuardInForce => {
  const { data, env, home, own, settings, labels, approvals, clock, integrity, told } = parts
  // Loads while the guard gets ready; what is asked before it has is read by its tokens, and in doubt as the worse.
  const sql = createSqlParser()
  void sql.load()
  const inForce = createGuardiansInForce(
    (guardians) => openGuardians(guardians, { ...told, data, env, clock, ...MACHINE }),
    clock,
  )
  const remotes = (): OpenedGuardians => inForce.of([...settings.current().config.guardians, ...parts.guardians])
  const answers = createRefusedAnswers()
  // Its guards are put together anew oftener than the settings change, and what looks at texts is large.
  let looking:
    | { readonly config: Config; readonly secrets: readonly string[]; readonly detectors: readonly Detector[] }
    | undefined
  const detectorsFor = (config: Config, secrets: readonly string[]): readonly Detector[] => {
    if (looking?.config !== config || looking.secrets.join('\n') !== secrets.join('\n'))
      looking = { config, secrets, detectors: createDetectors(config, sql.parse, secrets) }
    return looking.detectors
  }
  const partsAt = (port: number): GuardParts => {
    const locations = configLocations(env, home, process.platform)
    const { config } = settings.current()
    const secrets = ownSecrets(data, env)
    return {
      // What is written now may be an agent's word.
      config: integrity.mustEnforce() ? { ...config, mode: 'enforce' } : config,
      detectors: detectorsFor(config, secrets),
      ownSecrets: secrets,
      policiesFor: (project) => settings.current().policiesFor(project),
      world: createMachineWorld(env, home),
      surface: guardSurface({ data, own, locations, pid: process.pid, port }),
      clock,
      sql,
    }
  }
  const seats = (): RemoteSeats => {
    const { before, after } = remotes()
    return { before, after: [...after, integrity.seat, { ...integrity.seat, guardian: answers.guardian }] }
  }
  const decided: GuardParts['decided'] = (step, verdict) => {
    integrity.decided(step, verdict)
    answers.decided(step, verdict)
  }
  const composeAt = (at: number): ComposedGuard =>
    composeGuard({ ...partsAt(at), labels, approvals, remotes: seats(), decided })
  let { port } = parts
  let composed: ComposedGuard
  try {
    composed = composeAt(port)
  } catch (error) {
    void inForce.close(0)
    throw error
  }
  let atOnce: ComposedGuard | undefined
  return Object.freeze<GuardInForce>({
    current: () => composed,
    apart: () => composeGuard({ ...partsAt(port), isDisabled: approvals.isDisabled }),
    atOnce: () =>
      (atOnce ??= composeGuard({
        ...partsAt(port),
        labels,
        isDisabled: approvals.isDisabled,
        remotes: { before: [], after: [integrity.seat] },
        mostText: AT_ONCE,
      })),
    instant() {
      const { before, after } = remotes()
      return before.length + after.length === 0
    },
    compose: (at = port) => {
      composed = composeAt(at)
      inForce.inUse()
      atOnce = undefined
      port = at
    },
    close: (withinMs) => inForce.close(withinMs),
    port: () => port,
  })
}
