import type { Clock } from '../core/clock.ts'
import type { Outcome } from '../core/guard.ts'
import type { HostPower } from '../core/host-power.ts'
import type { GuardSurface } from '../evidence/effects/analysis.ts'
import { createGivenWorld } from '../evidence/effects/given-world.ts'
import type { GivenWorld } from '../evidence/effects/given-world.ts'
import type { Label } from '../protocol/evidence.ts'
import type { Step } from '../protocol/step.ts'
import type { World } from '../protocol/world.ts'
import { composeGuard } from './compose-guard.ts'
import type { ComposedGuard, GuardParts } from './compose-guard.ts'

/** What is told of the moment a step happens in. */
export interface Told {
  readonly world: World
  /** Labels the session has beside those it earned by its own steps. */
  readonly labels: readonly Label[]
}

/** A guard that decides on steps that nobody takes: what it knows of the machine is told with each of them. */
export interface GivenGuard {
  readonly mask: ComposedGuard['mask']
  /** Decides as enforcement would. Steps of one session have to be asked one after the other. */
  decide(step: Step, told: Told, power?: HostPower): Promise<Outcome>
}

/** A world told in words. */
export const givenWorld = (given: GivenWorld): World => createGivenWorld(given)

/** What of a guard an agent could touch on a machine that is only told: as a person's guard lies by default. */
export const givenSurface = (home: string): GuardSurface => ({
  paths: [`${home}/.config/sallyport`, `${home}/.local/share/sallyport`, '/etc/sallyport'],
  pids: [],
  addresses: ['127.0.0.1:4775', 'localhost:4775'],
})

const STILL: Clock = { now: () => 0, after: () => () => undefined }

/** Puts a guard together that is told its world. It always enforces: what would be decided is what is asked. */
export const createGivenGuard = (parts: Pick<GuardParts, 'config' | 'policiesFor' | 'surface'>): GivenGuard => {
  let now: Told = { world: createGivenWorld(), labels: [] }
  const { guard, mask } = composeGuard({
    ...parts,
    config: { ...parts.config, mode: 'enforce' },
    clock: STILL,
    world: {
      realPath: (path) => now.world.realPath(path),
      pathKind: (path) => now.world.pathKind(path),
      list: (path) => now.world.list(path),
      env: (name) => now.world.env(name),
      get home() {
        return now.world.home
      },
    },
    toldLabels: () => now.labels,
  })
  return Object.freeze({
    mask,
    async decide(step: Step, told: Told, power?: HostPower): Promise<Outcome> {
      now = told
      return guard.decide(step, power)
    },
  })
}
