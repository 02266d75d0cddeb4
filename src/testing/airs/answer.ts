import type { Json, JsonObject } from '../../protocol/json.ts'
import type { AirsContent, AirsScanRequest } from './request.ts'

/** A stand-in's finding in a content, and the action of its profile. */
export interface AirsFinding {
  readonly action: string
  readonly category: string
  /** Members that are added to the answer, or replace its own. */
  readonly more?: JsonObject
}

/** Evaluates a content. Invented: it does not reproduce the findings of the service. */
export type AirsDetect = (content: AirsContent, request: AirsScanRequest) => AirsFinding

/** Nothing is found. */
export const BENIGN: AirsFinding = { action: 'allow', category: 'benign' }

interface Sign {
  readonly flag: string
  readonly pattern: RegExp
}

/** Enough for visible results; a stand-in is not a scanner. */
const SIGNS: readonly Sign[] = [
  { flag: 'injection', pattern: /ignore (?:all )?previous instructions/i },
  { flag: 'url_cats', pattern: /malware\.example/i },
  { flag: 'malicious_code', pattern: /x-stand-in-malware/i },
  { flag: 'dlp', pattern: /\b\d{3}-\d{2}-\d{4}\b/ },
]
const NUMBERS = /\b\d{3}-\d{2}-\d{4}\b/g

/**
 * A text with numbers like an SSN masked as the service does: as many X, offsets from the first to the last character.
 */
const maskedData = (text: string): JsonObject | undefined => {
  const locations = [...text.matchAll(NUMBERS)].map((match) => [match.index, match.index + match[0].length - 1])
  if (locations.length === 0) return undefined
  return {
    data: text.replaceAll(NUMBERS, (number) => 'X'.repeat(number.length)),
    pattern_detections: [{ pattern: 'National Id - US Social Security Number - SSN', locations }],
  }
}

const flagsIn = (text: string): JsonObject =>
  Object.fromEntries(SIGNS.filter(({ pattern }) => pattern.test(text)).map(({ flag }) => [flag, true]))

const sideOf = (name: 'prompt' | 'response', texts: readonly (string | undefined)[]): JsonObject => {
  const [main] = texts
  const masked = main === undefined ? undefined : maskedData(main)
  return {
    [`${name}_detected`]: flagsIn(texts.join('\n')),
    ...(masked === undefined ? {} : { [`${name}_masked_data`]: masked }),
  }
}

const toolSide = (tool: string, text: string | undefined): JsonObject => {
  const flags = flagsIn(text ?? '')
  const masked = maskedData(text ?? '')
  const entry = {
    tool_invoked: tool,
    detections: flags,
    threats: Object.keys(flags),
    ...(masked === undefined ? {} : { masked_data: masked }),
  }
  return { detection_entries: Object.keys(flags).length === 0 ? [] : [entry] }
}

const toolDetected = ({ metadata, input, output }: NonNullable<AirsContent['tool_event']>): JsonObject => {
  const flags = flagsIn(`${input ?? ''}\n${output ?? ''}`)
  const tool = metadata.tool_invoked ?? ''
  return {
    verdict: Object.keys(flags).length === 0 ? 'benign' : 'malicious',
    metadata: metadata as unknown as Json,
    summary: { detections: flags, threats: Object.keys(flags) },
    input_detected: toolSide(tool, input),
    output_detected: toolSide(tool, output),
  }
}

/** Finds the {@link SIGNS}, and blocks their texts. */
export const detectBySigns: AirsDetect = (content) => {
  const { prompt, response, code_prompt, code_response, tool_event } = content
  const more: JsonObject = {
    ...sideOf('prompt', [prompt, code_prompt]),
    ...sideOf('response', [response, code_response]),
    tool_detected: tool_event === undefined ? {} : toolDetected(tool_event),
  }
  const found = /"(?:injection|url_cats|malicious_code|dlp)":true/.test(JSON.stringify(more))
  return found ? { action: 'block', category: 'malicious', more } : { ...BENIGN, more }
}

/** One scan's answer, in the form of the service's. */
export const answerOf = (request: AirsScanRequest, scanId: string, detect: AirsDetect): JsonObject => {
  const [content = {}] = request.contents
  const { action, category, more = {} } = detect(content, request)
  const { ai_profile, session_id, tr_id } = request
  // The service returns the session's id as the transaction's if it has both.
  const group = session_id ?? tr_id ?? `pan_${scanId}`
  return {
    source: 'AI-Runtime-API',
    report_id: `R${scanId}`,
    scan_id: scanId,
    tr_id: group,
    session_id: group,
    profile_id: ai_profile.profile_id ?? '00000000-0000-4000-8000-000000000001',
    profile_name: ai_profile.profile_name ?? 'stand-in',
    category,
    action,
    timeout: false,
    error: false,
    errors: [],
    prompt_detected: {},
    response_detected: {},
    tool_detected: {},
    transaction_id: `pan_${scanId}`,
    ...more,
  }
}
