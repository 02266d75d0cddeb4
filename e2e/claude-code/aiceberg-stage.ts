import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { lifeCycleFaults, type AicebergEvent, type AicebergStandIn } from '../../src/testing/index.ts'
import { killLeftGuard, runningGuardPid } from '../left-guard.ts'
import { startGuard, type RunningGuard } from '../guard.ts'
import { makeStage, type Stage } from './stage.ts'

const KEY = 'key-of-the-stand-in'

const configOf = ({ url }: AicebergStandIn, keyFile: string, mode: string, more: readonly string[]): string =>
  [
    'guardians:',
    '  - id: aiceberg',
    '    scanner: aiceberg',
    `    url: ${url}`,
    '    useCaseId: e2e',
    `    apiKeyFile: ${keyFile}`,
    `    mode: ${mode}`,
    ...more.map((line) => `    ${line}`),
  ].join('\n')

/**
 * A stage whose guard asks a stand-in for Aiceberg; both end with the test.
 * @param more lines of the guardian's configuration
 */
export const guardedBy = async (
  standIn: AicebergStandIn,
  mode = 'enforce',
  ...more: readonly string[]
): Promise<Stage> => {
  onTestFinished(() => standIn.close())
  const keyFile = join('/tmp', `sallyport-e2e-key-${process.pid}`)
  await writeFile(keyFile, KEY, { mode: 0o600 })
  return makeStage({ config: configOf(standIn, keyFile, mode, more) })
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Starts another guard in place of one that was killed, and of one that a hook has started since; it ends with the
 * test.
 */
export const nextGuard = async ({ world, guard }: Stage): Promise<RunningGuard> => {
  const left = (await runningGuardPid(world.data)) ?? guard.pid
  await killLeftGuard(world.data)
  while (isAlive(left)) await sleep(20)
  const next = await startGuard({ env: world.env, cwd: world.project, prefix: world.prefix }, world.data, guard.port)
  onTestFinished(() => next.stop())
  return next
}

/** Sessions end some seconds after their clients; a guard that has just started takes some more. */
const LIMIT_MS = 30_000

/**
 * All requests to the stand-in, once all sessions have ended and every event is closed; fails if that never happens.
 */
export const toldWhole = async (standIn: AicebergStandIn): Promise<readonly AicebergEvent[]> => {
  const faults = () => lifeCycleFaults(standIn.told)
  for (const giveUpAt = Date.now() + LIMIT_MS; Date.now() < giveUpAt; await sleep(100))
    if (standIn.told.length > 0 && faults().length === 0) break
  expect(faults()).toEqual([])
  expect(standIn.violations).toEqual([])
  return standIn.events
}

/** Whether an event was reported again under another id, because its answer had not been read. */
const isVoid = (event: AicebergEvent, index: number, events: readonly AicebergEvent[]): boolean =>
  events
    .slice(index + 1)
    .some(
      (later) =>
        later.metadata['attempt'] !== undefined &&
        later.session === event.session &&
        later.type === event.type &&
        later.metadata['step_id'] === event.metadata['step_id'],
    )

/** Input and output of the events of a kind, each once. */
export const shown = (
  events: readonly AicebergEvent[],
  type: string,
): readonly (readonly [string, string | undefined])[] =>
  events
    .filter((event, ...rest) => event.type === type && !event.sessionEnd && !isVoid(event, ...rest))
    .map(({ input, output }) => [input, output])
