import { isArray, isObject, type Json } from '../../protocol/json.ts'

/** Built-in guardians: without others, their opinions are printed without names. */
const LOCAL = ['evidence', 'policy']
/** Longest reason of a guardian that is shown, in UTF-16 code units. */
const LONGEST_REASON = 160

interface SpokenOpinion {
  readonly guardian: string
  readonly version: string
  readonly stage: string
  readonly outcome: string
  /** Its opinion, where it only observes. */
  readonly observed: string
  readonly reason: string
  /** Where it wanted changes. */
  readonly edited: readonly string[]
  /** Rules with their versions. */
  readonly rules: readonly string[]
}

const textIn = (value: Json | undefined, name: string): string => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === 'string' ? found : ''
}

const listIn = (value: Json | undefined, name: string): readonly Json[] => {
  const found = isObject(value) ? value[name] : undefined
  return isArray(found) ? found : []
}

const saidOf = (record: Json): SpokenOpinion => ({
  guardian: textIn(record, 'guardian'),
  version: textIn(record, 'version'),
  stage: textIn(record, 'stage'),
  outcome: textIn(record, 'outcome'),
  observed: textIn(record, 'observed'),
  reason: textIn(record, 'reason').slice(0, LONGEST_REASON),
  edited: listIn(record, 'edited').filter((one) => typeof one === 'string'),
  rules: listIn(record, 'policies').map((rule) => `${textIn(rule, 'id')} ${textIn(rule, 'version')}`.trim()),
})

const words = ({ outcome, observed, edited, rules }: SpokenOpinion): string =>
  [
    outcome,
    ...(observed === '' ? [] : [`(observe only; would have been ${observed})`]),
    ...edited,
    ...(rules.length === 0 ? [] : [`[${rules.join(', ')}]`]),
  ].join(' ')

/** A guardian with its rules; the list of detectors is long, and in the record. */
const named = ({ guardian, version }: SpokenOpinion): string =>
  guardian === 'evidence' ? guardian : `${guardian} (${version})`

/**
 * The opinions on a step when remote guardians were asked too, the merged edits, and the opinions on the edited step:
 * one line each.
 */
export const guardianLines = (verdict: Json | undefined): readonly string[] => {
  const all = listIn(verdict, 'guardians').map(saidOf)
  if (all.every(({ guardian }) => LOCAL.includes(guardian))) return []
  const decision = textIn(verdict, 'decision')
  const first = all.filter(({ stage }) => stage !== 'recheck')
  const again = all.filter(({ stage }) => stage === 'recheck')
  const lines = first
    .filter(({ guardian, outcome }) => guardian !== 'evidence' || outcome !== 'allow')
    .map((opinion) => {
      // The reasons of the deciding guardians are printed above; one that only observes has decided nothing.
      const isPrinted = opinion.outcome === decision && opinion.observed === ''
      const reason = isPrinted || opinion.reason === '' ? '' : `: ${opinion.reason}`
      return `${named(opinion)}: ${words(opinion)}${reason}`
    })
  const merged = listIn(verdict, 'mergeNotes').filter((note) => typeof note === 'string')
  return [
    ...lines,
    ...merged.map((note) => `merged: ${note}`),
    ...(again.length === 0
      ? []
      : [
          `second check of the edited step: ${again.map((opinion) => `${opinion.guardian} ${words(opinion)}`).join('; ')}`,
        ]),
  ]
}
