import type { Evidence, Finding, FindingCategory, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { pointersOverlap, valueAt } from '../../protocol/json-pointer.ts'
import type { Step } from '../../protocol/step.ts'
import type { RecordedDecision } from './recorded-decision.ts'

/** The evidence about a step from a session's memory. */
type Recalled = Pick<Evidence, 'labels' | 'findings' | 'origins' | 'authority'>

/** Marks findings that are repeated from the record, because their text is masked. */
export const FROM_RECORD = 'record'

/** Categories that the masks of a trace hide. */
const HIDDEN: readonly FindingCategory[] = ['secret', 'pii', 'dlp']

/** Detector of the memory's own findings: a known secret. */
const MEMORY = 'labels'

/** Findings in masked texts of the record: the whole masked text replaces the found one. */
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
 * A memory that was rebuilt completely lacks only what other sessions contributed: names of unknown origin. In all
 * other cases the record is more accurate.
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
 * The evidence of a session's memory about a step, completed from the recorded evidence: masks hide from a rebuilt
 * memory what the original one had seen.
 * @param complete whether the session's earlier steps are recorded unchanged
 */
export const filledFromRecord = (
  recalled: Recalled,
  step: Step,
  recorded: RecordedDecision,
  complete: boolean,
): Recalled => {
  // The recheck after edits does not contain what the edits removed.
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
