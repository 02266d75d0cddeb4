import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runCli, type CliPlace } from '../cli.ts'
import type { ProgramRun } from '../run-program.ts'
import { startGuard, type RunningGuard } from '../guard.ts'
import { personIn, type Person } from '../person.ts'
import { killLeftGuard } from '../left-guard.ts'
import { readTrace, type TraceEvent } from '../trace.ts'
import { clientEntry, runClient, type ClientJob, type ClientRun } from './run-client.ts'
import { makeWorld, type World } from './world.ts'

/** A world with the guard installed and running, as a person would have it, and taken down when the test ends. */
export interface Stage {
  readonly world: World
  readonly guard: RunningGuard
  /** The person at the terminal; without a key until they enrol one. */
  readonly person: Person
  /** Runs the real client in this world. */
  run(job: Omit<ClientJob, 'world'>): Promise<ClientRun>
  /** Runs a `sallyport` command in this world, on this guard's data folder. */
  cli(...args: readonly string[]): Promise<ProgramRun>
  /** The trace of a session, after `trace verify` has found it whole. */
  trace(session: string): Promise<readonly TraceEvent[]>
}

/** The options of a stage. */
export interface StageOptions {
  /** The person's `sallyport.yaml`. */
  readonly config?: string
  /** The person's own Cedar policy. */
  readonly policy?: string
  /** The person's `settings.json` from before the guard came. */
  readonly settings?: string
  /** Where the hooks are written; the person's own settings when left out. */
  readonly scope?: 'user' | 'project' | 'managed'
  readonly enclose?: Enclosure
}

/** Makes the prefix under which a world's programs run. */
type Enclosure = (root: string) => Promise<readonly string[]>

/** A file of the person's own configuration of the guard. */
const configFile = (world: World, name: string): string => join(world.home, '.config', 'sallyport', name)

/** Makes a world without a guard: the control of every test. */
export const bareWorld = async (enclose?: Enclosure): Promise<World> => {
  const world = await makeWorld(enclose)
  onTestFinished(() => world.dispose())
  return world
}

const placeOf = ({ env, project, prefix }: World): CliPlace => ({ env, cwd: project, prefix })

/** Installs the guard for the client by the real command, and fails with what it printed when that did not go well. */
export const install = async (
  world: World,
  port: number,
  scope = 'user',
  more: readonly string[] = [],
): Promise<void> => {
  const what = ['install', 'claude-code', '--scope', scope, '--client', clientEntry(), ...more]
  const ran = await runCli([...what, '--data', world.data, '--port', String(port)], placeOf(world))
  if (ran.code !== 0) throw new Error(`install ended with ${ran.code}: ${ran.out}${ran.err}`)
}

/** Sets up a stage; the test's end takes it down. */
export const makeStage = async (options: StageOptions = {}): Promise<Stage> => {
  const world = await bareWorld(options.enclose)
  if (options.config !== undefined) await world.write(configFile(world, 'sallyport.yaml'), options.config)
  if (options.policy !== undefined) await world.write(configFile(world, 'policy.cedar'), options.policy)
  if (options.settings !== undefined) await world.write(world.settingsFile, options.settings)
  const place = placeOf(world)
  const guard = await startGuard(place, world.data)
  onTestFinished(async () => {
    await guard.stop()
    await killLeftGuard(world.data)
  })
  await install(world, guard.port, options.scope)
  return {
    world,
    guard,
    person: personIn(place, world.data),
    run: (job) => runClient({ ...job, world }),
    cli: (...args) => runCli([...args, '--data', world.data], place),
    trace: (session) => readTrace(session, world.data, place),
  }
}
