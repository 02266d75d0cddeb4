import { actWords, ACT_PATTERNS, verbsOf } from '../../evidence/labels/act-words.ts'
import { actOfTool } from '../../evidence/labels/call-act.ts'
import type { Words } from '../../evidence/labels/recent-words.ts'
import type { Authority } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { MaskText } from '../../protocol/masked-value.ts'
import { maskedValue } from '../../protocol/masked-value.ts'
import type { StepOf } from '../../protocol/step.ts'

/** A call that a judge can be asked about. */
export type JudgedStep = StepOf<'toolCallRequest'> | StepOf<'permissionRequest'>

/** What a judge is shown of a call and of what led to it. */
export interface Case extends JsonObject {
  /** From the oldest to the newest. */
  readonly person: readonly string[]
  readonly task: readonly string[]
  readonly call: JsonObject
  /** Sentences from outside that have most of the call's words. */
  readonly strangers: readonly JsonObject[]
}

/** Characters of the person's messages, of one argument, and of one sentence. */
const MOST_SAID = 6_000
const LONGEST_ARGUMENT = 1_500
const LONGEST_SENTENCE = 500
/** Sentences that are shown, and that are compared. */
const SENTENCES = 6
const COMPARED = 2_000

/** A long text with its beginning and its end. */
const shortened = (text: string, most: number): string => {
  if (text.length <= most) return text.toWellFormed()
  const half = Math.floor(most / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)} … ${left} characters are not shown … ${text.slice(-half)}`.toWellFormed()
}

const shortenedValue = (value: Json): Json => {
  if (typeof value === 'string') return shortened(value, LONGEST_ARGUMENT)
  if (isArray(value)) return value.map(shortenedValue)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [shortened(name, LONGEST_SENTENCE), shortenedValue(member)]),
  )
}

/** The newest texts that have room together. */
const newest = (texts: readonly string[], most: number): readonly string[] => {
  let left = most
  const kept = texts.toReversed().filter((text) => {
    left -= text.length
    return left >= 0
  })
  return kept.toReversed()
}

/** The sentences of strangers that have most of an act's words. */
const askingSentences = (
  words: readonly Words[],
  { payload: { tool, input } }: JudgedStep,
  { source }: Authority,
): readonly Words[] => {
  const ofAct = new Set(actOfTool(tool.name, input).words)
  const verbs = new Set(verbsOf(ofAct))
  const strangers = words.filter(({ by }) => by === 'stranger')
  const named = strangers.filter((one) => source !== undefined && one.source === source)
  const scored = (named.length > 0 ? named : strangers)
    .toReversed()
    .flatMap((one) => one.text.split(ACT_PATTERNS.sentence).map((text) => ({ ...one, text: text.trim() })))
    .slice(0, COMPARED)
    .map((one) => {
      const said = new Set(actWords(one.text))
      const shared = [...said].filter((word) => ofAct.has(word)).length
      const hasVerb = verbsOf(said).some((verb) => verbs.has(verb))
      return { one, score: shared + (hasVerb ? 1 : 0) }
    })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SENTENCES)
    .map(({ one }) => one)
}

/** Makes the case of a call, with everything masked that must not leave. */
export const caseOf = (
  step: JudgedStep,
  words: readonly Words[],
  { authority, mask }: { readonly authority: Authority; readonly mask: MaskText },
): Case => {
  const { tool, input } = step.payload
  const hidden = (text: string): string => mask(undefined, text).toWellFormed()
  const saidBy = (by: Words['by']): readonly string[] =>
    newest(
      words.filter((one) => one.by === by).map(({ text }) => hidden(text)),
      MOST_SAID,
    )
  return {
    person: saidBy('person'),
    task: saidBy('task'),
    call: {
      tool: shortened(hidden(tool.name), LONGEST_SENTENCE),
      ...(tool.server === undefined ? {} : { server: shortened(hidden(tool.server), LONGEST_SENTENCE) }),
      input: shortenedValue(maskedValue(input, mask)),
    },
    strangers: askingSentences(words, step, authority).map(({ text, source }) => ({
      from: shortened(hidden(source ?? 'unknown'), LONGEST_SENTENCE),
      text: shortened(hidden(text), LONGEST_SENTENCE),
    })),
  }
}
