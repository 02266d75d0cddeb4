import type { Clock } from '../../core/clock.ts'
import type { Outcome } from '../../core/guard.ts'
import type { HostPower } from '../../core/host-power.ts'
import type { GuardSurface } from '../../evidence/effects/guard/guard-surface.ts'
import { createGivenWorld } from '../../evidence/effects/world/given-world.ts'
import type { GivenWorld } from '../../evidence/effects/world/given-world.ts'
import type { Label } from '../../protocol/evidence.ts'
import type { Step } from '../../protocol/step.ts'
import type { World } from '../../protocol/world.ts'
import { secretFiles } from '../../config/data-folder.ts'
import { composeGuard, createMemory } from './compose-guard.ts'
import type { ComposedGuard, GuardParts } from './compose-guard.ts'

/** What is told of the moment a step happens in. */
export interface Told {
  readonly world: World
  /** Labels the session has from here on, beside those it earns by its own steps. */
  readonly labels: readonly Label[]
  /** The step is a session by itself: what others touched is nothing to it, nor the reverse. */
  readonly alone: boolean
}

/** A decision, and what the session has touched after it. */
export interface ToldOutcome extends Outcome {
  readonly labels: readonly Label[]
}

/** A guard that decides on steps that nobody takes: what it knows of the machine is told with each of them. */
export interface GivenGuard {
  readonly mask: ComposedGuard['mask']
  /** Decides as enforcement would. Steps of one session have to be asked one after the other. */
  decide(step: Step, told: Told, power?: HostPower): Promise<ToldOutcome>
}

/** A world told in words. */
export const givenWorld = (given: GivenWorld): World => createGivenWorld(given)

/** What of a guard an agent could touch on a machine that is only told: as a person's guard lies by default. */
export const givenSurface = (home: string): GuardSurface => ({
  paths: [
    `${home}/.config/sallyport`,
    `${home}/.local/share/sallyport`,
    '/etc/sallyport',
    `${home}/.claude/settings.json`,
  ],
  pids: [],
  addresses: ['127.0.0.1:4775', 'localhost:4775'],
  secrets: secretFiles(`${home}/.local/share/sallyport`),
})

const STILL: Clock = { now: () => 0, after: () => () => undefined }

/** Puts a guard together that is told its world. It always enforces: what would be decided is what is asked. */
export const createGivenGuard = (parts: Pick<GuardParts, 'config' | 'policiesFor' | 'surface' | 'sql'>): GivenGuard => {
  const shared = createMemory()
  let world: World = createGivenWorld()
  let memory = shared
  const { guard, mask } = composeGuard({
    ...parts,
    config: { ...parts.config, mode: 'enforce' },
    clock: STILL,
    world: {
      realPath: (path) => world.realPath(path),
      pathKind: (path) => world.pathKind(path),
      list: (path) => world.list(path),
      read: (path) => world.read(path),
      readPart: (path, part) => world.readPart(path, part),
      conceal: (path, look) => world.conceal(path, look),
      env: (name) => world.env(name),
      get home() {
        return world.home
      },
    },
    labels: {
      recall: (...asked) => memory.recall(...asked),
      observe: (observed) => {
        memory.observe(observed)
      },
      hasSeen: (...asked) => memory.hasSeen(...asked),
      labelsOf: (...asked) => memory.labelsOf(...asked),
      origin: (...asked) => memory.origin(...asked),
      give: (...given) => {
        memory.give(...given)
      },
      settled: () => memory.settled(),
    },
  })
  return Object.freeze({
    mask,
    async decide(step: Step, told: Told, power?: HostPower): Promise<ToldOutcome> {
      const session = step.session.id
      world = told.world
      memory = told.alone ? createMemory() : shared
      if (told.labels.length > 0) memory.give(session, told.labels, step.at)
      const outcome = await guard.decide(step, power)
      return { ...outcome, labels: memory.labelsOf(session, step.at) }
    },
  })
}
