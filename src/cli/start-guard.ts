import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { composeGuard } from '../config/compose-guard.ts'
import type { ComposedGuard, GuardParts, PersonsWord } from '../config/compose-guard.ts'
import { dataFiles } from '../config/data-folder.ts'
import { configLocations } from '../config/locations.ts'
import { createSqlParser } from '../config/sql-parser.ts'
import { createMachineClock } from '../config/machine-clock.ts'
import { createMachineWorld } from '../config/machine-world.ts'
import { openLabels } from '../config/open-labels.ts'
import type { OpenLabels } from '../config/open-labels.ts'
import { pinFolder } from '../config/policy-files.ts'
import { seatRemoteGuardians } from '../config/remote-guardians.ts'
import type { RemoteSeats } from '../config/remote-guardians.ts'
import type { Config } from '../config/schema.ts'
import { openSettings } from '../config/settings.ts'
import type { Outcome } from '../core/guard.ts'
import type { RpcHost } from '../core/rpc-host.ts'
import { describeError, SallyportError } from '../errors.ts'
import { createAcsHost } from '../hosts/acs/host.ts'
import { createAosHost } from '../hosts/aos/host.ts'
import { createClaudeCodeHost } from '../hosts/claude-code/host.ts'
import { openSqliteStore } from '../record/stores/sqlite.ts'
import { createRecorder } from '../record/trace/recorder.ts'
import type { Recorder } from '../record/trace/recorder.ts'
import { applyRetention } from '../record/trace/retention.ts'
import { createApp } from '../server/app.ts'
import type { ServedApprovals } from '../server/approvals-route.ts'
import { listen } from '../server/listen.ts'
import type { Listening } from '../server/listen.ts'
import { createMetrics } from '../server/metrics.ts'
import { VERSION } from '../version.ts'
import { guardSurface } from '../config/guard-surface.ts'
import { createAcsArchive } from './acs-archive.ts'
import { openGuardApprovals } from './guard-approvals.ts'
import { keptSecret } from './kept-secret.ts'
import { warmUp } from './warm-up.ts'

/** How a guard is started. */
export interface StartOptions {
  /** Folder that everything is kept in. */
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Takes one line of the log, JSON. */
  readonly log: (line: string) => void
  /** Overrides `server.port` of the configuration. */
  readonly port?: number
  /** Overrides `server.host` of the configuration. */
  readonly host?: string
  /** Called with every decision, after it is kept. */
  readonly decided?: (outcome: Outcome) => void
}

/** A guard that answers. */
export interface RunningGuard {
  readonly url: string
  readonly socket: string
  readonly token: string
  /** Makes the code ready with events that are made up and forgotten. Never rejects. */
  warmUp(cwd: string, signal: AbortSignal): Promise<void>
  /** Answers what has been asked, writes the end into the trace and lets go. */
  stop(): Promise<void>
}

/** Problems of settings go to the log and into the trace, where the person looks for what a guard did. */
const settingsOf = ({ data, env, home }: StartOptions, log: Logger) =>
  openSettings({ locations: configLocations(env, home, process.platform), data, home }, (report) => {
    log.warn({ ...report, event: `settings-${report.event}` })
  })

/** The guard in force: put together anew whenever the settings change. */
const guardOf = (
  options: StartOptions,
  settings: ReturnType<typeof settingsOf>,
  labels: OpenLabels['labels'],
  approvals: PersonsWord,
) => {
  const { data, env, home } = options
  const clock = createMachineClock()
  // Loads while the guard gets ready; what is asked before it has is read by its tokens, and in doubt as the worse.
  const sql = createSqlParser()
  void sql.load()
  let seated: { readonly guardians: Config['guardians']; readonly seats: RemoteSeats } | undefined
  /** What is known of guardians elsewhere, such as that one is dead, outlives changes that are not about them. */
  const remotes = (): RemoteSeats => {
    const { guardians } = settings.current().config
    if (seated === undefined || !isDeepStrictEqual(seated.guardians, guardians))
      seated = { guardians, seats: seatRemoteGuardians(guardians, { env, clock, makeId: () => randomUUID() }) }
    return seated.seats
  }
  const partsAt = (port: number): GuardParts => ({
    config: settings.current().config,
    policiesFor: (project) => settings.current().policiesFor(project),
    world: createMachineWorld(env, home),
    surface: guardSurface({ data, locations: configLocations(env, home, process.platform), pid: process.pid, port }),
    clock,
    sql,
  })
  const compose = (at: number): ComposedGuard => composeGuard({ ...partsAt(at), labels, approvals, remotes: remotes() })
  let port = options.port ?? settings.current().config.server.port
  let composed = compose(port)
  return {
    clock,
    current: () => composed,
    /** One like it that remembers for itself, waits for nobody and asks nobody elsewhere. */
    apart: () => composeGuard(partsAt(port)),
    compose(at: number = port) {
      port = at
      composed = compose(port)
    },
  }
}

const appOf = (
  { decided }: StartOptions,
  {
    guard,
    labels,
    recorder,
    acs,
    token,
    approvals,
    log,
    config,
  }: {
    readonly guard: ReturnType<typeof guardOf>
    readonly acs: RpcHost
    readonly labels: OpenLabels['labels']
    readonly recorder: Recorder
    readonly token: string
    readonly approvals: ServedApprovals
    readonly log: Logger
    readonly config: { readonly maxBodyBytes: number; readonly maxDepth: number }
  },
) => {
  const fault = (error: unknown): void => {
    log.error({ event: 'fault', error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' })
  }
  return createApp({
    guard: () => guard.current().guard,
    hosts: new Map([createClaudeCodeHost()].map((one) => [one.id, one])),
    rpcHosts: [acs, createAosHost({ fault })],
    recorder: {
      recordRejection: (rejection) => recorder.recordRejection(rejection),
      async recordDecision(outcome, beside) {
        // Beside one another: no answer leaves before both its record and what the session has touched are kept.
        await Promise.all([recorder.recordDecision(outcome, beside), labels.settled()])
        decided?.(outcome)
      },
    },
    metrics: createMetrics(VERSION),
    token,
    approvals,
    now: () => guard.clock.now(),
    makeId: () => randomUUID(),
    maxBodyBytes: config.maxBodyBytes,
    maxDepth: config.maxDepth,
    fault,
  })
}

/** The memory of sessions; where it is not what it was, the log and the trace say so. */
const labelsOf = (
  { data }: StartOptions,
  {
    durability,
    recorder,
    log,
  }: { readonly durability: 'process' | 'power'; readonly recorder: Recorder; readonly log: Logger },
): OpenLabels =>
  openLabels({
    files: dataFiles(data),
    durability,
    lost: (session, why) => {
      const what = session === undefined ? 'memory that all sessions share' : `session ${session}`
      const message = describeError('SP_LABELS_LOST', { session: what, why })
      log.warn({ event: 'labels-lost', ...(session === undefined ? {} : { session }), message })
      recorder.recordNotice('LabelsLost', { session: session ?? null, why }).catch((error: unknown) => {
        log.error({ event: 'fault', error: String(error) })
      })
    },
  })

const opened = async (where: string, listening: Promise<Listening>): Promise<Listening> => {
  try {
    return await listening
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new SallyportError('SP_ADDRESS_IN_USE', { where }, { cause: error })
    throw error
  }
}

/** Starts a guard. @throws SallyportError when the settings, the store or the address cannot be used */
export const startGuard = async (options: StartOptions): Promise<RunningGuard> => {
  const { data, env } = options
  const files = dataFiles(data)
  // Folders that are there from the start can be watched: what is installed or trusted later counts at once.
  for (const folder of [data, files.installed, pinFolder(data)]) await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(data, 0o700)
  const log = pino(
    { base: null },
    {
      write: (line: string) => {
        options.log(line.trimEnd())
      },
    },
  )
  const settings = settingsOf(options, log)
  const { config } = settings.current()
  const { server, trace, mode } = config
  const token = keptSecret(files.token, env['SALLYPORT_TOKEN'])
  const { durability } = trace
  const store = openSqliteStore({ path: files.trace, durability })
  const recorder = createRecorder({ store, mask: (value) => guard.current().mask(value), version: VERSION })
  const labels = labelsOf(options, { durability, recorder, log })
  const mask: ComposedGuard['mask'] = (value) => guard.current().mask(value)
  const approvals = openGuardApprovals({
    data,
    recorder,
    mask,
    config: () => settings.current().config,
    fault: (error) => {
      log.error({ event: 'fault', error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' })
    },
  })
  const guard = guardOf(options, settings, labels.labels, approvals.word)
  const policies = (): string => settings.current().policiesFor(undefined).version
  const acs = createAcsHost({
    secret: Buffer.from(keptSecret(files.acsSecret, env['SALLYPORT_ACS_SECRET'])),
    archive: createAcsArchive(store, recorder),
    terms: {
      timeoutMs: config.acs.timeoutMs,
      skewMs: config.acs.skewWindowMs,
      onDecisionFailure: config.acs.onDecisionFailure,
    },
    version: VERSION,
    resolutionMs: config.acs.timeoutMs,
    fault: (error) => {
      log.error({ event: 'fault', error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' })
    },
  })
  const app = appOf(options, {
    guard,
    labels: labels.labels,
    recorder,
    acs,
    token,
    approvals: approvals.served,
    log,
    config: server,
  })
  const host = options.host ?? server.host
  const port = options.port ?? server.port
  const listening = await opened(
    `${host}:${port} or ${files.socket}`,
    listen({ app, host, port, socket: files.socket, maxBodyBytes: server.maxBodyBytes }),
  ).catch(async (error: unknown) => {
    await labels.close()
    approvals.close()
    await store.close()
    throw error
  })
  if (listening.port !== port) guard.compose(listening.port)
  const { url, socket } = listening
  await writeFile(files.guard, JSON.stringify({ pid: process.pid, url, socket }), { mode: 0o600 })
  await approvals.begin()
  await recorder.recordNotice('GuardStarted', { mode, policies: policies(), pid: process.pid, port: listening.port })
  const stopWatching = settings.watch(() => {
    guard.compose()
    recorder.recordNotice('ConfigReloaded', { policies: policies() }).catch((error: unknown) => {
      log.error({ event: 'fault', error: String(error) })
    })
  })
  if (trace.retentionDays > 0) await applyRetention(store, { days: trace.retentionDays, now: guard.clock.now() })
  log.info({ event: 'started', url, version: VERSION, mode })
  return Object.freeze<RunningGuard>({
    url,
    socket,
    token,
    warmUp: (cwd, signal) => warmUp({ guard: guard.apart(), cwd, signal }),
    async stop() {
      stopWatching()
      approvals.release()
      await listening.close()
      await labels.close()
      approvals.close()
      await recorder.recordNotice('GuardStopped')
      await store.close()
      await rm(files.guard, { force: true })
      log.info({ event: 'stopped' })
    },
  })
}
