import type { Finding } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { valueAt } from '../../protocol/json-pointer.ts'
import type { Step } from '../../protocol/step.ts'
import { namesIn } from './names.ts'
import type { Reading } from './reading.ts'
import { ownersOf } from './secret-owner.ts'
import type { SessionState } from './session-state.ts'
import { stringsOf } from './tainted-store.ts'

/** All strings of a content, a line each. */
export const textOf = (content: Json): string => stringsOf(content).join('\n')

/** Takes in the names of a text. What an agent wrote into its call and gets back is not the workspace's word. */
export const nameReading = (state: SessionState, { speaker, content, source }: Reading, input: Json): void => {
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

/** A step as it was looked at, and as it reached the agent. */
interface Looked {
  readonly step: Step
  readonly merged: Step
  readonly findings: readonly Finding[]
}

/** Learns secrets and labels; one that was masked is remembered, should it turn up by another way, but was not seen. */
export const learnFound = (state: SessionState, { step, merged, findings }: Looked, reading: Reading): void => {
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
    if (isShown && (category === 'secret' || category === 'pii')) state.learn({ fact: 'touched', label: category })
  }
}
