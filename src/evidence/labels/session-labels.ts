import type { Effect, Evidence, Finding, Label, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { valueAt } from '../../protocol/json-pointer.ts'
import type { Step, StepOf } from '../../protocol/step.ts'
import type { Decided } from '../../protocol/verdict.ts'
import { originsOf } from './call-origins.ts'
import type { NamedOrigin } from './call-origins.ts'
import { createLedger } from './ledger.ts'
import type { Known } from './ledger.ts'
import { namesIn } from './names.ts'
import type { NameKind } from './names.ts'
import { broughtIn, readingOf, touchesSecret } from './reading.ts'
import type { Reading } from './reading.ts'
import { createScanCache } from './scan-cache.ts'
import type { ScanCache } from './scan-cache.ts'
import { ownersOf } from './secret-owner.ts'
import { seenSecrets } from './seen-secret.ts'
import { createSessionStates } from './session-states.ts'
import type { SessionState, StateLimits } from './session-states.ts'
import { createTaintedStore, stringsOf } from './tainted-store.ts'

/** What the memory of a session adds to the evidence about a step. */
export type Remembered = Pick<Evidence, 'labels' | 'findings'> & { readonly origins?: readonly TargetOrigin[] }

/** What was decided, and what it was decided on. */
export interface Observed extends Decided {
  /** Of a result: the effects of the call it is the result of. */
  readonly effects: readonly Effect[]
  readonly findings: readonly Finding[]
}

/** A session's memory of where things came from (docs/labels.md). */
export interface SessionLabels {
  /** What is known before a step is decided. Changes nothing. */
  recall(step: Step, analysed: Pick<Evidence, 'effects' | 'sideEffect'>, home: string): Remembered
  /** Takes in a decided step: what was refused or masked has not reached the agent and is not learnt. */
  observe(observed: Observed): void
  /** Whether a call's result was looked at already. */
  hasSeen(session: string, callId: string): boolean
  labelsOf(session: string, now: number): readonly Label[]
  /** Who named something first. */
  origin(session: string, kind: NameKind, value: string): Known & { readonly forgotten: boolean }
  /** Takes a session to have labels: for cases and for explaining, where its past is given in short. */
  give(session: string, labels: readonly Label[], now: number): void
}

export interface SessionLabelOptions {
  /** Random, of this run of the guard: hashes of secrets are worth nothing without it. */
  readonly key: Uint8Array
  readonly limits?: StateLimits
  /** Milliseconds that a found injection counts; default 10 minutes: a model takes its time between two calls. */
  readonly injectionTtlMs?: number
}

const MOST_SOURCES = 32
const MOST_CALLS = 256

type CallStep = StepOf<'toolCallRequest'> | StepOf<'permissionRequest'>

const isCall = (step: Step): step is CallStep => step.kind === 'toolCallRequest' || step.kind === 'permissionRequest'

/** The oldest go first. */
const bounded = <Value>(kept: Set<Value> | Map<Value, unknown>, most: number): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(oldest)
  }
}

const textOf = (content: Json): string => stringsOf(content).join('\n')

const shown = ({ effect, role, target, origin, source }: NamedOrigin): TargetOrigin => ({
  effect,
  role,
  target,
  origin,
  ...(source === undefined ? {} : { source }),
})

/** Takes in the names of a text. What an agent wrote into its call and gets back is not the workspace's word. */
const nameReading = (state: SessionState, { speaker, content, source }: Reading, input: Json): void => {
  if (speaker === 'agent') return
  const { names, cut } = namesIn(textOf(content), speaker)
  const own = speaker === 'workspace' ? namesIn(textOf(input), 'untrusted').names : []
  const said = new Set(own.map(({ kind, value }) => `${kind} ${value}`))
  state.ledger.note(
    speaker,
    said.size === 0 ? names : names.filter(({ kind, value }) => !said.has(`${kind} ${value}`)),
    source,
  )
  if (cut) state.ledger.lost(speaker)
}

/** Hosts that stand beside a secret in the same text are where it belongs, unless a stranger wrote the text. */
const besides = ({ speaker, content }: Reading): readonly string[] =>
  speaker === 'untrusted'
    ? []
    : namesIn(textOf(content), 'workspace')
        .names.filter(({ kind }) => kind === 'host')
        .slice(0, 8)
        .map(({ value }) => value)

/** Learns secrets and labels; one that was masked is remembered, should it turn up by another way, but was not seen. */
const learnFound = (state: SessionState, { step, merged, findings }: Observed, reading: Reading): void => {
  const telling = findings.filter(
    ({ category, span }) => (category === 'secret' || category === 'pii') && span.key !== true,
  )
  if (telling.length === 0) return
  const near = besides(reading)
  for (const { category, type, span } of telling.slice(0, 64)) {
    const text = valueAt(step.payload as unknown as Json, span.pointer)
    if (typeof text !== 'string') continue
    const value = text.slice(span.start, span.end)
    if (category === 'secret') state.secrets.learn(value, [...ownersOf(type), ...near])
    const left = valueAt(merged.payload as unknown as Json, span.pointer)
    const isShown = reading.speaker !== 'agent' && typeof left === 'string' && left.includes(value)
    if (isShown && category === 'secret') state.secret = true
    if (isShown && category === 'pii') state.pii = true
  }
}

const labelsFrom = (state: SessionState | undefined, injected: boolean): readonly Label[] => [
  ...(state !== undefined && state.sources.size > 0 ? (['untrusted'] as const) : []),
  ...(state?.secret === true ? (['secret'] as const) : []),
  ...(state?.pii === true ? (['pii'] as const) : []),
  ...(injected ? (['injected'] as const) : []),
]

const isInjection = ({ category, severity }: Finding): boolean =>
  category === 'prompt_injection' && (severity === 'high' || severity === 'critical')

/** Files that agents read by themselves in later sessions. */
const MEMORY_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?\.md|AGENTS\.md|GEMINI\.md|MEMORY\.md|\.cursorrules|memory\/[^/]+\.md)$/i

/** Makes the memory of all sessions of a guard. Holds no text and no secret: names, labels and keyed hashes. */
export const createSessionLabels = (options: SessionLabelOptions): SessionLabels => {
  const states = createSessionStates(options.key, options.limits)
  const tainted = createTaintedStore()
  /** Of sessions that have seen nothing. */
  const stranger = createLedger()
  const scans: ScanCache = createScanCache({ ttlMs: options.injectionTtlMs ?? 600_000 })

  const isInjected = (session: string, now: number): boolean =>
    scans.get(session, now)?.findings.some(isInjection) === true

  /** A person who was asked about a call that then ran has agreed to what it names. */
  const agreed = (state: SessionState, callId: string | undefined): void => {
    const names = callId === undefined ? undefined : state.asked.get(callId)
    if (callId === undefined || names === undefined) return
    state.asked.delete(callId)
    state.ledger.note('person', names)
  }

  const observeCall = (state: SessionState, { step, effects, verdict }: Observed): void => {
    if (!isCall(step) || verdict.decision !== 'ask') return
    const callId = step.kind === 'toolCallRequest' ? step.payload.callId : undefined
    if (callId === undefined) return
    const rows = originsOf({ input: step.payload.input, effects, home: '' }, state.ledger, tainted)
    state.asked.set(
      callId,
      rows.map(({ name }) => name),
    )
    bounded(state.asked, MOST_CALLS)
  }

  const observeResult = (state: SessionState, { merged, effects }: Observed): void => {
    if (merged.kind !== 'toolCallResult') return
    const { callId, input, status } = merged.payload
    if (callId !== undefined) state.seenCalls.add(callId)
    bounded(state.seenCalls, MOST_CALLS)
    agreed(state, callId)
    for (const [path, source] of broughtIn(effects)) tainted.markPath(path, source)
    if (status === 'succeeded' && touchesSecret(effects)) state.secret = true
    for (const { kind, targets } of effects)
      if (kind === 'fs.write')
        for (const target of targets)
          if (target.type === 'path' && MEMORY_FILE.test(target.path)) rememberFile(state, target.path, input)
  }

  /** A memory file is tainted when what is written into it names what only strangers have named. */
  const rememberFile = (state: SessionState, path: string, input: Json): void => {
    const { names } = namesIn(textOf(input), 'untrusted')
    const foreign = names.find(({ kind, value }) => state.ledger.of(kind, value).origin === 'untrusted')
    if (foreign !== undefined) tainted.markPath(path, { label: `memory ${path}` })
  }

  const observe = (observed: Observed): void => {
    const { step, merged, effects, verdict, findings } = observed
    if (verdict.decision === 'deny') return
    const state = states.open(step.session.id)
    observeCall(state, observed)
    if (isCall(step)) return
    const reading = readingOf(merged, effects, tainted)
    if (merged.kind === 'toolCallResult') observeResult(state, observed)
    nameReading(state, reading, merged.kind === 'toolCallResult' ? merged.payload.input : null)
    learnFound(state, observed, reading)
    if (reading.source !== undefined) {
      if (state.sources.size < MOST_SOURCES) state.sources.add(reading.source.label)
      if (findings.some(isInjection))
        scans.set(step.session.id, { message: step.id, order: step.at, findings }, step.at)
    }
    if (merged.kind === 'memoryStore' && state.sources.size > 0)
      tainted.remember(merged.payload.store, undefined, merged.payload.content)
    states.settle(step.session.id)
  }

  return Object.freeze<SessionLabels>({
    recall: (step, analysed, home) => {
      const session = step.session.id
      const state = states.get(session)
      const labels = labelsFrom(state, isInjected(session, step.at))
      if (!isCall(step)) return { labels, findings: [] }
      const { effects, sideEffect } = analysed
      const view = { input: step.payload.input, effects, home, ...(sideEffect === undefined ? {} : { sideEffect }) }
      const origins = originsOf(view, state?.ledger ?? stranger, tainted).map(shown)
      return {
        labels,
        findings: state === undefined ? [] : seenSecrets(step, analysed, state.secrets),
        ...(origins.length === 0 ? {} : { origins }),
      }
    },
    observe,
    hasSeen: (session, callId) => states.get(session)?.seenCalls.has(callId) === true,
    labelsOf: (session, now) => labelsFrom(states.get(session), isInjected(session, now)),
    origin: (session, kind, value) => {
      const ledger = states.get(session)?.ledger
      const known: Known = ledger?.of(kind, value) ?? { origin: 'unknown' }
      return { ...known, forgotten: ledger?.forgotten('untrusted') === true }
    },
    give: (session, labels, now) => {
      const state = states.open(session)
      if (labels.includes('untrusted')) state.sources.add('given')
      if (labels.includes('secret')) state.secret = true
      if (labels.includes('pii')) state.pii = true
      if (labels.includes('injected')) scans.set(session, { message: 'given', order: now, findings: [GIVEN] }, now)
    },
  })
}

const GIVEN: Finding = {
  category: 'prompt_injection',
  type: 'given',
  severity: 'high',
  confidence: 1,
  span: { pointer: '', start: 0, end: 0 },
  detector: 'labels',
}
