import { readdirSync } from 'node:fs'
import { describeError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import type { Held } from '../guardians/integrity/integrity-guardian.ts'
import type { AcceptedStates } from '../integrity/accepted-states.ts'
import { createContentReader } from '../integrity/content.ts'
import { createIntegrityWatch } from '../integrity/integrity-watch.ts'
import type { IntegrityEvent } from '../integrity/integrity-watch.ts'
import type { Change, HostWatch, Watched, WatchedSession } from '../integrity/watched.ts'
import type { Step, StepKind } from '../protocol/step.ts'
import type { SignedActs } from '../record/signatures/signed-acts.ts'
import { dataFiles } from './data-folder.ts'
import { installedSettings } from './guard-surface.ts'
import type { ConfigLocations } from './locations.ts'
import { ownFiles, policyFiles, programFiles } from './own-files.ts'

/** What the watch over a guard's own surroundings is made of. */
export interface GuardIntegrityParts {
  readonly data: string
  readonly locations: ConfigLocations
  readonly states: AcceptedStates
  readonly hosts: readonly HostWatch[]
  readonly signed: () => SignedActs
  readonly now: () => number
  readonly report: (event: IntegrityEvent) => void
}

/** Watches what a guard depends on, and holds the sessions that a change concerns. */
export interface GuardIntegrity {
  /** Why a step may not happen; `undefined` when nothing differs from what was accepted. */
  readonly held: (step: Step) => Held | undefined
  /** The accepted text of a policy file while a change of it is open; `undefined`: the file counts. */
  readonly inForce: (path: string) => { readonly text?: string } | undefined
  /** The record of accepted states is gone: every session is held until a person accepts what is there. */
  readonly recordLost: () => void
  /** Whether verdicts have to be enforced whatever the settings say: nobody knows who wrote them. */
  readonly mustEnforce: () => boolean
  /** Looks at what is too much to look at with every step; returns what ends that. */
  readonly begin: () => () => void
}

interface Session {
  readonly watch: HostWatch | undefined
  readonly around: WatchedSession | undefined
  readonly files: readonly Watched[]
  /** What it has loaded: the revisions of its files, added up. */
  revision: number
  /** Milliseconds since the epoch. */
  seen: number
}

/** A session that nothing was heard of for so long is taken for ended. */
const QUIET_MS = 30 * 60_000
const MAX_SESSIONS = 500
const SWEEP_MS = 2_000

/** Kinds that are over or stop nothing: refusing them would only keep an agent from ending. */
const UNTOUCHED: ReadonlySet<StepKind> = new Set([
  'agentMessage',
  'modelResponse',
  'sessionEnd',
  'turnEnd',
  'subagentStop',
  'compaction',
  'notice',
])

const reasonOf = (code: ErrorCode, details: Readonly<Record<string, string>>): Held => ({
  code,
  reason: describeError(code, details),
})

const heldBy = (changes: readonly Change[]): Held | undefined => {
  const [first, ...more] = changes
  if (first === undefined) return undefined
  const others = more.map(({ path }) => `${path} changed too`)
  const findings = [...first.findings.slice(0, 4), ...others.slice(0, 4)].join('; ')
  return reasonOf('SP_GUARD_CHANGED', { what: first.what, path: first.path, findings })
}

const namesIn = (folder: string): number => {
  try {
    return readdirSync(folder).length
  } catch {
    return 0
  }
}

/** Puts the watch together. */
export const createGuardIntegrity = (parts: GuardIntegrityParts): GuardIntegrity => {
  const { data, locations, states, hosts, now } = parts
  const reader = createContentReader(now)
  const watch = createIntegrityWatch({
    states,
    reader,
    isSigned: (file) => parts.signed().accepted(file),
    mustSign: () => parts.signed().canSign(),
    report: parts.report,
  })
  const policies = policyFiles(locations)
  // Only an administrator writes the managed layer: it can wait for the next sweep.
  const everybodys = policies.filter(({ path }) => path.startsWith(locations.user))
  const swept = [...policies.filter((one) => !everybodys.includes(one)), ...ownFiles(data), ...programFiles(data)]
  let sweptChanges: readonly Change[] = []
  const record = dataFiles(data).accepted
  let isLost = states.open(record) !== undefined
  const sessions = new Map<string, Session>()
  let installed = installedSettings(dataFiles(data).installed)
  let noted = namesIn(dataFiles(data).installed)

  const currentlyInstalled = () => {
    const count = namesIn(dataFiles(data).installed)
    if (count !== noted) {
      noted = count
      installed = installedSettings(dataFiles(data).installed)
    }
    return installed
  }

  const revisionOf = (files: readonly Watched[]): number => files.reduce((sum, one) => sum + watch.revision(one), 0)

  const isShared = (root: string, session: string): boolean =>
    [...sessions].some(([id, one]) => id !== session && one.around?.root === root && now() - one.seen < QUIET_MS)

  const opened = (step: Step): Session => {
    const host = hosts.find((one) => one.host === step.host)
    const { id, transcript } = step.session
    const root = host === undefined ? undefined : (states.root(id) ?? host.rootOf(step))
    const around = root === undefined ? undefined : { root, ...(transcript === undefined ? {} : { transcript }) }
    const files = host === undefined || around === undefined ? [] : host.files(around, currentlyInstalled())
    const begins = step.kind === 'sessionStart'
    // What the host has just loaded counts, unless a session that runs there could have changed it.
    if (begins && around !== undefined && states.root(id) === undefined && !isShared(around.root, id))
      for (const one of files) if (one.baseline === 'session') watch.adopt(one)
    if (around !== undefined && states.root(id) === undefined) states.setRoot(id, around.root)
    for (const one of files) watch.check(one)
    const session: Session = { watch: host, around, files, revision: revisionOf(files), seen: now() }
    if (sessions.size >= MAX_SESSIONS) for (const oldest of [...sessions.keys()].slice(0, 50)) sessions.delete(oldest)
    sessions.set(id, session)
    return session
  }

  const changesFor = (session: Session): readonly Change[] => {
    let changes = sweptChanges
    for (const files of [session.files, everybodys])
      for (const one of files) {
        const change = watch.check(one)
        if (change !== undefined) changes = [change, ...changes]
      }
    return changes
  }

  /** Looked up only while it is open. */
  const lostRecord = (): readonly Change[] => {
    if (!isLost) return []
    const change = states.open(record)
    isLost = change !== undefined
    if (!isLost) parts.report({ event: 'settled', path: record, how: 'accepted' })
    return change === undefined ? [] : [change]
  }

  const reload = (session: Session, changes: readonly Change[]): Held | undefined => {
    if (changes.length > 0) return heldBy(changes)
    const revision = revisionOf(session.files)
    if (revision !== session.revision) {
      session.revision = revision
      return undefined
    }
    return reasonOf('SP_RELOAD_REFUSED', { path: session.files.map(({ path }) => path)[0] ?? '' })
  }

  const weak = ({ watch: host, around }: Session): Held | undefined => {
    if (host?.inspect === undefined || around === undefined) return undefined
    const findings = host.inspect(around, (path) => reader.read({ path, kind: 'file' }).text)
    return findings.length === 0
      ? undefined
      : reasonOf('SP_SETTINGS_WEAK', { findings: findings.slice(0, 4).join('; ') })
  }

  const held = (step: Step): Held | undefined => {
    const session = sessions.get(step.session.id) ?? opened(step)
    session.seen = now()
    session.watch?.observe?.(step)
    const reloads = session.watch?.reloads(step)
    if (reloads === undefined && UNTOUCHED.has(step.kind)) {
      if (step.kind === 'sessionEnd') sessions.delete(step.session.id)
      return undefined
    }
    const changes = [...lostRecord(), ...changesFor(session)]
    if (reloads === 'settings') return reload(session, changes)
    return heldBy(changes) ?? (step.kind === 'sessionStart' ? weak(session) : undefined)
  }

  const sweep = (): void => {
    sweptChanges = swept.flatMap((one) => watch.check(one) ?? [])
  }

  return Object.freeze<GuardIntegrity>({
    held,
    inForce(path) {
      const one = policies.find((policy) => policy.path === path)
      if (one === undefined || watch.check(one) === undefined) return undefined
      const { text } = states.accepted(path) ?? {}
      return text === undefined ? {} : { text }
    },
    mustEnforce: () => isLost,
    recordLost() {
      const change: Change = {
        path: record,
        what: 'The record of accepted files',
        sha256: null,
        findings: ['it was removed, so what had been accepted before is not known'],
        files: [record],
      }
      states.accept(record, { sha256: 'lost' })
      states.setOpen(record, change)
      isLost = true
      parts.report({ event: 'changed', change })
    },
    begin() {
      const first = setTimeout(sweep, 0).unref()
      const timer = setInterval(sweep, SWEEP_MS).unref()
      return () => {
        clearTimeout(first)
        clearInterval(timer)
      }
    },
  })
}
