import type { Evidence, Finding, FindingCategory, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { pointersOverlap, valueAt } from '../../protocol/json-pointer.ts'
import type { Step } from '../../protocol/step.ts'
import type { RecordedDecision } from './recorded-decision.ts'

/** What a session's memory adds to the evidence about a step. */
type Recalled = Pick<Evidence, 'labels' | 'findings' | 'origins' | 'authority'>

/** Stands in findings that are given again from the record, where the text that they were found in is masked. */
export const FROM_RECORD = 'record'

/** What the masks of a trace hide. */
const HIDDEN: readonly FindingCategory[] = ['secret', 'pii', 'dlp']

/** Of the memory's own findings: a secret that it had seen. */
const MEMORY = 'labels'

/** Findings in texts that the record masks: the masked text as a whole stands for what was found in it. */
const hiddenFindings = ({ step, evidence, gaps }: RecordedDecision): readonly Finding[] =>
  evidence.findings
    .filter(({ category, span }) => HIDDEN.includes(category) && span.key !== true)
    .filter(({ span }) => gaps.masked.some((pointer) => pointersOverlap(pointer, span.pointer)))
    .flatMap((finding): readonly Finding[] => {
      const text = valueAt(step.payload as unknown as Json, finding.span.pointer)
      if (typeof text !== 'string') return []
      return [{ ...finding, detector: FROM_RECORD, span: { ...finding.span, start: 0, end: text.length } }]
    })

const keyOf = ({ effect, role, target }: TargetOrigin): string => JSON.stringify([effect, role, target])

/**
 * Of a memory that was rebuilt whole, only what other sessions told it is missing: what nobody is known to have named.
 * Of any other the record knows better.
 */
const originsOf = (
  rebuilt: readonly TargetOrigin[],
  recorded: readonly TargetOrigin[],
  complete: boolean,
): readonly TargetOrigin[] => {
  const then = new Map(recorded.map((one) => [keyOf(one), one]))
  return rebuilt.map((one) => (complete && one.origin !== 'unknown' ? one : (then.get(keyOf(one)) ?? one)))
}

/**
 * What a session's memory says of a step, filled from what it said when the step was recorded: masks hide from a rebuilt
 * memory what the real one had seen.
 * @param complete whether the session's earlier steps are on record as they were
 */
export const filledFromRecord = (
  recalled: Recalled,
  step: Step,
  recorded: RecordedDecision,
  complete: boolean,
): Recalled => {
  // What is checked again after edits has none of what the edits took out.
  const isArrived = step === recorded.step
  const { evidence } = recorded
  const labels = evidence.labels.filter((label) => !complete || label !== 'injected')
  const seen =
    complete || recalled.findings.length > 0 ? [] : evidence.findings.filter(({ detector }) => detector === MEMORY)
  return {
    ...recalled,
    labels: [...new Set([...recalled.labels, ...labels])],
    findings: isArrived ? [...recalled.findings, ...seen, ...hiddenFindings(recorded)] : recalled.findings,
    ...(complete || evidence.authority === undefined ? {} : { authority: evidence.authority }),
    ...(recalled.origins === undefined ? {} : { origins: originsOf(recalled.origins, evidence.origins, complete) }),
  }
}
