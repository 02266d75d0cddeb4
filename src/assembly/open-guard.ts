import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import process from 'node:process'
import type { Clock } from '../core/clock.ts'
import type { Outcome } from '../core/guard.ts'
import type { CountCost } from '../core/late-opinion.ts'
import { UNKNOWN_FATES } from '../core/session-fates.ts'
import type { SessionFates } from '../core/session-fates.ts'
import { createJudges } from '../core/judge.ts'
import type { Judge, Judges } from '../core/judge.ts'
import { LARGE_STEP, weightOf } from '../core/weight.ts'
import type { SharedMemory } from '../evidence/labels/session-labels.ts'
import type { RecentWords } from '../evidence/labels/recent-words.ts'
import { describeError, SallyportError } from '../errors/errors.ts'
import type { HostWatch } from '../integrity/watched.ts'
import { openSqliteStore } from '../record/stores/sqlite.ts'
import { GUARD_SESSION } from '../record/stores/store.ts'
import type { AuditableStore } from '../record/stores/store.ts'
import { recordLate, createRecorder } from '../record/trace/recorder.ts'
import type { Recorder } from '../record/trace/recorder.ts'
import type { KeyList } from '../record/signatures/key-list.ts'
import type { Keyring } from '../record/signatures/keyring.ts'
import { applyRetention } from '../record/trace/retention.ts'
import type { Step } from '../protocol/step.ts'
import { NO_SIGNED_ACTS } from '../record/signatures/signed-acts.ts'
import type { SignedActs } from '../record/signatures/signed-acts.ts'
import { isObject } from '../protocol/json.ts'
import { VERSION } from '../package/version.ts'
import type { ComposedGuard } from './guard/compose-guard.ts'
import { dataFiles } from '../config/data-folder.ts'
import { guardianElsewhere } from '../config/guardian-schema.ts'
import type { GuardianInput } from '../config/guardian-schema.ts'
import { openGuardApprovals } from './guard-approvals.ts'
import type { GuardApprovals } from './guard-approvals.ts'
import { createGuardInForce } from './guard-in-force.ts'
import type { GuardInForce } from './guard-in-force.ts'
import { configLocations } from '../config/locations.ts'
import { createMachineClock } from './machine/machine-clock.ts'
import { openIntegrity } from './integrity/open-integrity.ts'
import type { OpenIntegrity } from './integrity/open-integrity.ts'
import { keysSeenBody, openSeenKeyring } from './record/open-keyring.ts'
import type { StoredHead } from './record/open-keyring.ts'
import { openRecentWords } from './record/open-recent-words.ts'
import { openLabels } from './record/open-labels.ts'
import type { OpenLabels } from './record/open-labels.ts'
import { pinFolder } from '../config/policy-files.ts'
import type { Config } from '../config/schema.ts'
import { openSettings } from '../config/settings.ts'
import type { KnownPolicies, OpenSettings } from '../config/settings.ts'
import { startTraceProofs } from './record/trace-proofs.ts'
import type { TraceProofs } from './record/trace-proofs.ts'

/** A warning for the operator, as one flat object. */
export type GuardWarning = Readonly<Record<string, unknown>> & { readonly event: string }

/** Options of a guard. */
export interface OpenGuardOptions {
  /** Folder of all its data. Several guards may share it, each in a process of its own. */
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Additional files and folders of the guard, absolute: no agent may change them. */
  readonly own?: readonly string[]
  /** TCP port of the guard's server; default: `server.port` of the configuration. */
  readonly port?: number
  /** Remote guardians besides those of the configuration, in the same form; called after them. */
  readonly guardians?: readonly GuardianInput[]
  /** Settings of hosts that the guard depends on; default: none. */
  readonly watches?: readonly HostWatch[]
  /** People's signed acceptances; default: none. */
  readonly signed?: () => SignedActs
  /** Called with invalid settings that did not come into force, and with lost memory. */
  readonly warn: (warning: GuardWarning) => void
  /** Called when changed settings are in force. */
  readonly renewed?: () => void
  /** Called with faults whose details must not leave the guard. */
  readonly fault: (error: unknown) => void
  /** Called with every decision, before it is recorded. */
  readonly decided?: (decided: Outcome) => void
  /** What another guard has read of its policies; default: nothing. */
  readonly knownPolicies?: KnownPolicies
  /** The shared memory of this guard's threads. */
  readonly shared?: SharedMemory
  /** Decides on large or costly steps off the event loop; default: on it, like all others. */
  readonly elsewhere?: Judge
  /** Absent in a guard that works for another one. */
  readonly fates?: SessionFates
  /** Called with the cost of remote guardians. */
  readonly count?: CountCost
}

/** A guard in the caller's process: everything except a server. */
export interface OpenGuard extends Judges, Pick<Recorder, 'recordRejection' | 'recordNotice'> {
  readonly mask: ComposedGuard['mask']
  /** The configuration in force. */
  readonly config: () => Config
  /** An equal guard with the current settings that records nothing, has a memory of its own and no remote guardians. */
  readonly apart: () => ComposedGuard
  /** Whether there are no remote guardians: then `judgeNow` is as complete as `judge`. */
  readonly instant: () => boolean
  /**
   * Records pending decisions, writes the end into the trace and closes everything. A second call waits for the first.
   */
  readonly close: () => Promise<void>
}

/** A composed guard that has not started yet, for callers that open more around it. */
export interface AssembledGuard extends OpenGuard {
  readonly store: AuditableStore
  readonly recorder: Recorder
  readonly approvals: Pick<GuardApprovals, 'store' | 'answering' | 'accepting'> & { readonly keyring: Keyring }
  /** What it has read of its policies. */
  readonly knownPolicies: () => KnownPolicies
  /** Milliseconds since the epoch, by the guard's clock. */
  readonly now: () => number
  /**
   * Checks what the guard depends on, without starting; returns the function that stops this. For a second guard beside
   * a started one.
   */
  readonly sweep: () => () => void
  /** Treats a session as having seen unscanned content. */
  distrust(session: string): void
  /** The actual port of its server, which differs from the configured one. */
  listensAt(port: number): void
  /** Writes the start into the trace, follows the settings and removes expired data. */
  begin(): Promise<void>
  /** Stops following the settings, and releases callers who wait for a person's answer. */
  release(): void
}

/** Folders that exist from the start can be watched: later installations and trusts apply at once. */
const makeFolders = async (data: string): Promise<void> => {
  for (const folder of [data, dataFiles(data).installed, pinFolder(data)])
    await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(data, 0o700)
}

/** The memory of sessions; losses are reported to the operator and the trace. */
const labelsOf = (
  { data, warn, fault, shared }: OpenGuardOptions,
  durability: 'process' | 'power',
  recorder: Recorder,
  words: RecentWords,
): OpenLabels =>
  openLabels({
    files: dataFiles(data),
    words,
    ...(shared === undefined ? {} : { shared }),
    durability,
    lost: (session, why) => {
      const what = session === undefined ? 'memory shared by all sessions' : `session ${session}`
      const message = describeError('SP_LABELS_LOST', { session: what, why })
      warn({ event: 'labels-lost', ...(session === undefined ? {} : { session }), message })
      recorder.recordNotice('LabelsLost', { session: session ?? null, why }).catch(fault)
    },
  })

/** The integrity check; changes go to the log and, once it is open, to the trace. */
const integrityOf = (
  { data, env, home, watches = [], signed = () => NO_SIGNED_ACTS, warn, fault }: OpenGuardOptions,
  clock: Clock,
  { recorder, reload }: { readonly recorder: () => Recorder | undefined; readonly reload: () => void },
): OpenIntegrity =>
  openIntegrity({
    data,
    locations: configLocations(env, home, process.platform),
    hosts: watches,
    signed,
    now: () => clock.now(),
    report: (event) => {
      const detail = event.event === 'changed' ? { ...event.change } : { path: event.path, how: event.how }
      const type = event.event === 'changed' ? 'GuardFilesChanged' : 'GuardFilesSettled'
      warn({ ...detail, event: `files-${event.event}` })
      // After pending work: a change may be found while the settings are being read.
      setImmediate(() => {
        recorder()
          ?.recordNotice(type, { ...detail })
          .catch(fault)
        if (event.event === 'settled') reload()
      })
    },
  })

/** Whether a guard with this trace has watched files before. */
const hasWatched = async (store: AuditableStore): Promise<boolean> => {
  for await (const { body } of store.events({ session: GUARD_SESSION, type: 'GuardStarted', limit: Infinity }))
    if (isObject(body['detail']) && body['detail']['filesWatched'] === true) return true
  return false
}

/** The keys whose signatures count; a new or rejected list is reported to the operator and the trace. */
const keyringOf = (
  { data, warn, fault }: OpenGuardOptions,
  store: AuditableStore,
  recorder: Recorder,
  kept: StoredHead,
): Promise<Keyring> =>
  openSeenKeyring(store, {
    path: dataFiles(data).keys,
    kept,
    changed: (change) => {
      if ('list' in change) {
        kept.set(change.list.head)
        warn({ event: 'keys-seen', keys: change.list.keys.map(({ id, name }) => `${name} ${id}`) })
        recorder.recordNotice('KeysSeen', keysSeenBody(change.list)).catch(fault)
      } else {
        warn({ event: 'keys-refused', message: describeError('SP_KEYS_CHANGED', { why: change.fault }) })
        recorder.recordNotice('KeysRefused', { why: change.fault }).catch(fault)
      }
    },
  })

/** Milliseconds that a closing guard waits for pending reports on past steps. */
const SETTLE_MS = 2_000

/** Parts that are opened in sequence. */
interface Parts {
  readonly settings: OpenSettings
  readonly store: AuditableStore
  readonly recorder: Recorder
  readonly labels: OpenLabels
  readonly integrity: OpenIntegrity
  /** Whether the trace has an earlier guard. */
  readonly hasEarlierGuard: boolean
  readonly approvals: GuardApprovals
  readonly keyring: Keyring
  readonly guard: GuardInForce
  readonly clock: Clock
  /** Closes the stores, the last one opened first. */
  readonly closeStores: (before?: () => Promise<unknown>) => Promise<void>
}

const openParts = async (options: OpenGuardOptions): Promise<Parts> => {
  const { data, env, home, own = [], guardians = [], warn, fault, count = () => undefined, fates } = options
  const files = dataFiles(data)
  // Written by a running guard, never by `install`, and always after the accepted states.
  const wasServed = [files.approvals, files.labels, files.turns].some((path) => existsSync(path))
  // No timer of a guard keeps a process alive, which may be another program's.
  const clock = createMachineClock({ ref: false })
  let recorder: Recorder | undefined
  let isComposed = false
  // The watch starts before the store with the signatures is open.
  let signed = options.signed?.() ?? NO_SIGNED_ACTS
  const integrity = integrityOf({ ...options, signed: () => signed }, clock, {
    // Without a guard there is no masker yet for the record.
    recorder: () => (isComposed ? recorder : undefined),
    reload: () => {
      settings.reload()
    },
  })
  let settings: OpenSettings
  try {
    settings = openSettings(
      {
        locations: configLocations(env, home, process.platform),
        data,
        home,
        inForce: integrity.inForce,
        ...(options.knownPolicies === undefined ? {} : { known: options.knownPolicies }),
      },
      (report) => {
        warn({ ...report, event: `settings-${report.event}` })
      },
    )
  } catch (error) {
    integrity.close()
    throw error
  }
  const config = (): Config => settings.current().config
  const { trace, server } = config()
  const mask: ComposedGuard['mask'] = (value) => guard.current().mask(value)
  const store = openSqliteStore({ path: files.trace, durability: trace.durability })
  const closers: (() => unknown)[] = []
  const closeStores: Parts['closeStores'] = async (before) => {
    // A failure to close one must not leave the rest open.
    for (const close of [
      integrity.close,
      () => store.close(),
      ...(before === undefined ? [] : [before]),
      ...closers,
    ].toReversed())
      await Promise.resolve().then(close).catch(fault)
  }
  let guard: GuardInForce
  try {
    recorder = createRecorder({ store, mask, version: VERSION })
    const hasEarlierGuard = await hasWatched(store)
    if (integrity.isNew && (hasEarlierGuard || wasServed)) integrity.recordLost()
    const record = recorder.recordEvent
    const keyring = await keyringOf(options, store, recorder, integrity.keysHead)
    const keys = (): KeyList => keyring.current()
    const path = files.approvals
    const approvals = openGuardApprovals({ path, record, trace: store, keys, mask, clock, config, fault })
    signed = options.signed?.() ?? approvals.accepting
    closers.push(() => {
      approvals.close()
    })
    const { words, close: closeWords } = openRecentWords(options.shared?.run)
    closers.push(closeWords)
    const labels = labelsOf(options, trace.durability, recorder, words)
    closers.push(() => labels.close())
    const port = options.port ?? server.port
    const memory = { labels: labels.labels, approvals: approvals.word }
    const reports = {
      count,
      late: recordLate(recorder, fault),
      say: warn,
      fault,
      words,
      ...(fates === undefined ? {} : { fates }),
    }
    guard = createGuardInForce({
      data,
      env,
      home,
      own,
      port,
      settings,
      ...memory,
      clock,
      integrity,
      reports,
      guardians: guardians.map((one) => guardianElsewhere.parse(one)),
    })
    isComposed = true
    closers.push(() => guard.close(SETTLE_MS))
    return {
      settings,
      store,
      recorder,
      labels,
      integrity,
      hasEarlierGuard,
      approvals,
      keyring,
      guard,
      clock,
      closeStores,
    }
  } catch (error) {
    await closeStores()
    throw error
  }
}

const policiesOf = ({ settings }: Parts): string => settings.current().policiesFor(undefined).version

/** Records the start in the trace and follows the settings; returns the function that stops this. */
const follow = async (parts: Parts, { own, fault, renewed }: OpenGuardOptions): Promise<() => void> => {
  const { settings, recorder, guard, approvals } = parts
  await approvals.begin()
  parts.integrity.traceSeen(parts.hasEarlierGuard)
  await recorder.recordNotice('GuardStarted', {
    mode: settings.current().config.mode,
    policies: policiesOf(parts),
    pid: process.pid,
    port: guard.port(),
    filesWatched: true,
    ...(own === undefined ? {} : { own }),
  })
  const stopSweeping = parts.integrity.begin()
  const stopWatching = settings.watch(() => {
    guard.compose()
    renewed?.()
    recorder.recordNotice('ConfigReloaded', { policies: policiesOf(parts) }).catch(fault)
  })
  return () => {
    stopSweeping()
    stopWatching()
  }
}

/** Opens a guard without starting it. @throws SallyportError when the settings or the stores cannot be used */
export const assembleGuard = async (options: OpenGuardOptions): Promise<AssembledGuard> => {
  await makeFolders(options.data)
  const parts = await openParts(options)
  const { settings, store, recorder, labels, approvals, guard, clock } = parts
  const config = (): Config => settings.current().config
  const whileOpen = <T>(one: () => T): T => {
    if (closing !== undefined) throw new SallyportError('SP_STORE_CLOSED')
    return one()
  }
  const judges = createJudges({
    ...options,
    guard: () => whileOpen(() => guard.current().guard),
    atOnce: () => whileOpen(() => guard.atOnce().guard),
    // In parallel: no answer leaves before both its record and the session's memory are stored.
    keep: (decided, members) => Promise.all([recorder.recordDecision(decided, members), labels.labels.settled()]),
  })
  const { elsewhere } = options
  const isLight = (step: Step): boolean => {
    try {
      return weightOf(step, LARGE_STEP) <= LARGE_STEP && guard.current().isQuick(step)
    } catch (error) {
      // The decision will fail with the same error.
      options.fault(error)
      return true
    }
  }
  const judge: Judge =
    elsewhere === undefined
      ? judges.judge
      : async (step, power, keeping) => (isLight(step) ? judges : { judge: elsewhere }).judge(step, power, keeping)
  let stopWatching: (() => void) | undefined
  let closing: Promise<void> | undefined
  const release = (): void => {
    stopWatching?.()
    approvals.release()
  }
  let proofs: TraceProofs | undefined
  const ended = async (): Promise<void> => {
    if (stopWatching !== undefined) await recorder.recordNotice('GuardStopped')
    await proofs?.stop()
  }
  return Object.freeze<AssembledGuard>({
    ...judges,
    judge,
    sweep: () => parts.integrity.begin(),
    knownPolicies: () => settings.known(),
    distrust: (session) => {
      labels.labels.give(session, ['untrusted', 'secret', 'injected'], clock.now())
    },
    mask: (value) => guard.current().mask(value),
    instant: guard.instant,
    config,
    recordRejection: recorder.recordRejection,
    recordNotice: recorder.recordNotice,
    store,
    recorder,
    approvals: { ...approvals, keyring: parts.keyring },
    apart: guard.apart,
    now: () => clock.now(),
    listensAt: guard.compose,
    async begin() {
      stopWatching = await follow(parts, options)
      proofs = startTraceProofs({
        store,
        files: dataFiles(options.data),
        config: config().trace,
        clock,
        fault: options.fault,
        checkpointFailed: (to, why) => {
          options.warn({ event: 'checkpoint-failed', to, why })
          recorder.recordNotice('CheckpointFailed', { to, why }).catch(options.fault)
        },
      })
      const { retentionDays } = config().trace
      if (retentionDays > 0) await applyRetention(store, { days: retentionDays, now: clock.now() })
    },
    release,
    close: () => {
      release()
      return (closing ??= parts.closeStores(ended))
    },
  })
}

/**
 * Opens a guard in this process. It takes no signal, starts no server, and nothing of it keeps the process alive.
 * @throws SallyportError when the settings or the stores cannot be used
 */
export const openGuard = async (options: OpenGuardOptions): Promise<OpenGuard> => {
  const guard = await assembleGuard({ fates: UNKNOWN_FATES, ...options })
  try {
    await guard.begin()
  } catch (error) {
    await guard.close()
    throw error
  }
  const { judge, judgeNow, mask, instant, config, apart, recordRejection, recordNotice, close } = guard
  return Object.freeze<OpenGuard>({
    judge,
    judgeNow,
    mask,
    instant,
    config,
    apart,
    recordRejection,
    recordNotice,
    close,
  })
}
