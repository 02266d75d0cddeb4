import type { Finding, FindingCategory, Severity, Span } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { valueAt } from '../../protocol/json-pointer.ts'
import type { Step } from '../../protocol/step.ts'
import type { Texts } from './contents.ts'
import type { Flags, ScanResult } from './scan-result.ts'

/** The service's detections in our words. An unknown one is a threat by an agent, with its name as the type. */
const CATEGORIES: Readonly<Record<string, FindingCategory>> = {
  injection: 'prompt_injection',
  dlp: 'dlp',
  source_code: 'dlp',
  url_cats: 'malicious_url',
  toxic_content: 'toxic_content',
  malicious_code: 'malicious_code',
  db_security: 'db_security',
  agent: 'agent_threat',
  topic_violation: 'topic_violation',
  ungrounded: 'ungrounded',
}

/** Our word for a detection of the service. */
export const categoryOf = (flag: string): FindingCategory => CATEGORIES[flag] ?? 'agent_threat'

const SEVERITY: Readonly<Record<ScanResult['severity'], Severity>> = {
  SAFE: 'low',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
}

/** The service reports no confidence, only the consequence in its profile. */
const CONFIDENCE: Readonly<Record<ScanResult['action'], number>> = { block: 1, warn: 0.8, allow: 0.5 }

/** The string at a pointer of the payload, or the empty one. */
export const stringAt = (step: Step, pointer: string): string => {
  const value = valueAt(step.payload as unknown as Json, pointer)
  return typeof value === 'string' ? value : ''
}

/** The place of a side's text: the whole text, because the service reports characters only for sensitive data. */
const spanOf = (step: Step, text: Texts[keyof Texts]): Span => {
  const pointer = text?.stretches.find((one) => one.pointer !== undefined)?.pointer
  return pointer === undefined
    ? { pointer: '', start: 0, end: 0 }
    : { pointer, start: 0, end: stringAt(step, pointer).length }
}

/** The findings of the detections of one scan. */
export const findingsOf = (result: ScanResult, texts: Texts, step: Step, detector: string): readonly Finding[] => {
  const severity = SEVERITY[result.severity]
  const confidence = CONFIDENCE[result.action]
  const side = (flags: Flags, suffix: string, text: Texts[keyof Texts]): readonly Finding[] =>
    flags.map((flag) => ({
      category: categoryOf(flag),
      type: `${flag}_${suffix}`,
      severity,
      confidence,
      span: spanOf(step, text),
      detector,
    }))
  const { tool } = result
  const seen = [
    ...side(result.promptDetected, 'prompt', texts.prompt),
    ...side(result.responseDetected, 'response', texts.response ?? texts.input),
    ...side(tool?.input.flags ?? [], 'tool_input', texts.input),
    ...side(tool?.output.flags ?? [], 'tool_output', texts.output),
  ]
  const rest = (tool?.summary ?? []).filter((flag) => !seen.some(({ category }) => category === categoryOf(flag)))
  const all = [...seen, ...side(rest, 'tool', texts.input ?? texts.output)]
  // A refusal without a detection is a refusal too.
  if (all.length === 0 && result.action !== 'allow') all.push(...side([result.category], 'scan', texts.prompt))
  return result.timeout || result.hasError ? [...all, partialScan(result, detector)] : all
}

/** Content that could not be scanned may contain anything. */
const partialScan = ({ timeout, contentErrors }: ScanResult, detector: string): Finding => ({
  category: 'scan_failure',
  type: timeout ? 'partial_scan' : `partial_scan:${contentErrors.map(({ feature }) => feature).join('+')}`.slice(0, 64),
  severity: 'high',
  confidence: 1,
  span: { pointer: '', start: 0, end: 0 },
  detector,
})
