import { isObject } from '../../protocol/json.ts'

/** The service's decision on a scan; an unknown word counts as `block`. */
export type Action = 'allow' | 'warn' | 'block'

/** Kinds of detections that were found, by the service's names. */
export type Flags = readonly string[]

/**
 * A range of a text that the service would mask: the pattern, and the first and last character as the service counts.
 */
export interface PatternDetection {
  readonly pattern: string
  readonly locations: readonly (readonly [from: number, last: number])[]
}

/** A text as the service would mask it. */
export interface MaskedData {
  readonly data?: string
  readonly patterns: readonly PatternDetection[]
}

/** What was found on one side of a tool's call. */
export interface ToolSide {
  readonly flags: Flags
  readonly threats: readonly string[]
  readonly masked?: MaskedData
}

/** The whole result of a scan. */
export interface ScanResult {
  readonly action: Action
  /** The service's own word for {@link action}. */
  readonly actionWord: string
  /** The service's own word for the overall result: `benign`, `malicious`, … */
  readonly category: string
  readonly severity: 'SAFE' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'
  /**
   * `prompt_injection`, `dlp_response`, `agent_threat_tool_input`, …; `partial_scan` if it could not scan everything.
   */
  readonly categories: readonly string[]
  readonly scanId: string
  readonly reportId: string
  readonly profileName?: string
  readonly profileId?: string
  readonly promptDetected: Flags
  readonly responseDetected: Flags
  readonly promptMasked?: MaskedData
  readonly responseMasked?: MaskedData
  readonly tool?: {
    readonly verdict?: string
    readonly summary: Flags
    readonly input: ToolSide
    readonly output: ToolSide
  }
  /** Topics and kinds of toxic content that were named. */
  readonly details: readonly string[]
  /** Some detection did not end in time. */
  readonly timeout: boolean
  /** Some detection failed. */
  readonly hasError: boolean
  readonly contentErrors: readonly { readonly contentType: string; readonly feature: string; readonly status: string }[]
  readonly source?: string
  readonly createdAt?: string
  readonly completedAt?: string
}

/** A result, or the reason why an answer is invalid. */
export type ReadResult =
  | { readonly outcome: 'result'; readonly result: ScanResult }
  | { readonly outcome: 'invalid'; readonly why: string }

/** The words of the published plugin's categories. */
const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  url_cats: 'url_filtering',
  agent: 'agent_threat',
  injection: 'prompt_injection',
}

const MISREAD = Symbol('misread')

const misread = (what: string): never => {
  throw new Error(what, { cause: MISREAD })
}

/** Words of the service appear in reasons that agents read: only letters, digits and a few signs. */
const plainWord = (text: string): string => text.replaceAll(/[^\w-]/g, '_').slice(0, 64)

type Members = Readonly<Record<string, unknown>>

const words = (from: Members, name: string): string => {
  const value = from[name]
  return typeof value === 'string' && value !== '' ? plainWord(value) : misread(`its ${name} is not a string`)
}

const optionalText = (from: Members, name: string): string | undefined => {
  const value = from[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const boolean = (from: Members, name: string): boolean => {
  const value = from[name] ?? false
  return typeof value === 'boolean' ? value : misread(`its ${name} is not a boolean`)
}

const members = (from: Members, name: string): Members => {
  const value = from[name] ?? {}
  return isObject(value) ? value : misread(`its ${name} is not an object`)
}

const list = (from: Members, name: string): readonly unknown[] => {
  const value = from[name] ?? []
  return Array.isArray(value) ? value : misread(`its ${name} is not a list`)
}

const texts = (all: readonly unknown[]): readonly string[] => all.filter((one) => typeof one === 'string')

/** An unknown flag is a detection too. */
const flags = (from: Members, name: string): Flags =>
  Object.entries(members(from, name)).flatMap(([flag, value]) => {
    if (value === null || value === false) return []
    return value === true ? [plainWord(flag)] : misread(`a value in its ${name} is not a boolean`)
  })

const locations = (from: Members): PatternDetection['locations'] =>
  list(from, 'locations').map((one) => {
    const [first, last] = Array.isArray(one) ? (one as readonly unknown[]) : []
    return typeof first === 'number' && typeof last === 'number' ? [first, last] : misread('a location is not a pair')
  })

const maskedData = (from: Members, name: string): MaskedData | undefined => {
  if (from[name] === undefined || from[name] === null) return undefined
  const masked = members(from, name)
  const data = optionalText(masked, 'data')
  return {
    ...(data === undefined ? {} : { data }),
    patterns: list(masked, 'pattern_detections').map((one) => {
      const detection = isObject(one) ? one : misread('a pattern detection is not an object')
      return { pattern: optionalText(detection, 'pattern') ?? 'sensitive data', locations: locations(detection) }
    }),
  }
}

const named = <N extends string, T>(name: N, value: T | undefined): { readonly [K in N]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: T }

const toolSide = (tool: Members, name: string): ToolSide => {
  const entries = list(members(tool, name), 'detection_entries').map((one) =>
    isObject(one) ? one : misread(`an entry of ${name} is not an object`),
  )
  return {
    flags: [...new Set(entries.flatMap((one) => flags(one, 'detections')))],
    threats: entries.flatMap((one) => texts(list(one, 'threats'))),
    ...named(
      'masked',
      entries.map((one) => maskedData(one, 'masked_data')).find((one) => one !== undefined),
    ),
  }
}

const toolOf = (from: Members): ScanResult['tool'] => {
  const tool = members(from, 'tool_detected')
  if (Object.keys(tool).length === 0) return undefined
  return {
    ...named('verdict', optionalText(tool, 'verdict')),
    summary: flags(members(tool, 'summary'), 'detections'),
    input: toolSide(tool, 'input_detected'),
    output: toolSide(tool, 'output_detected'),
  }
}

const detailsOf = (from: Members, name: string): readonly string[] => {
  const details = members(from, name)
  const topics = members(details, 'topic_guardrails_details')
  const toxic = members(details, 'toxic_content_details')
  return texts([...list(topics, 'blocked_topics'), ...list(toxic, 'toxic_categories')])
}

const ACTIONS: Readonly<Record<string, Action>> = { allow: 'allow', alert: 'warn', block: 'block' }

const severityOf = (category: string, action: Action, found: boolean): ScanResult['severity'] => {
  if (category === 'malicious' || action === 'block') return 'CRITICAL'
  if (category === 'suspicious') return 'HIGH'
  return found ? 'MEDIUM' : 'SAFE'
}

const categoryWords = (found: Flags, side: string): readonly string[] =>
  found.map((flag) =>
    flag === 'injection' && side === 'prompt' ? 'prompt_injection' : `${CATEGORY_WORDS[flag] ?? flag}_${side}`,
  )

const read = (body: Members): ScanResult => {
  const actionWord = words(body, 'action')
  const category = words(body, 'category')
  const action = Object.hasOwn(ACTIONS, actionWord) ? (ACTIONS[actionWord] ?? 'block') : 'block'
  const promptDetected = flags(body, 'prompt_detected')
  const responseDetected = flags(body, 'response_detected')
  const tool = toolOf(body)
  const timeout = boolean(body, 'timeout')
  const hasError = boolean(body, 'error')
  const found = [
    ...categoryWords(promptDetected, 'prompt'),
    ...categoryWords(responseDetected, 'response'),
    ...categoryWords(tool?.input.flags ?? [], 'tool_input'),
    ...categoryWords(tool?.output.flags ?? [], 'tool_output'),
  ]
  return {
    action,
    actionWord,
    category,
    severity: severityOf(category, action, found.length > 0),
    categories: [
      ...(found.length === 0 ? [category === 'benign' ? 'safe' : category] : found),
      ...(timeout || hasError ? ['partial_scan'] : []),
    ],
    scanId: words(body, 'scan_id'),
    reportId: words(body, 'report_id'),
    ...named('profileName', optionalText(body, 'profile_name')),
    ...named('profileId', optionalText(body, 'profile_id')),
    promptDetected,
    responseDetected,
    ...named('promptMasked', maskedData(body, 'prompt_masked_data')),
    ...named('responseMasked', maskedData(body, 'response_masked_data')),
    ...named('tool', tool),
    details: [...detailsOf(body, 'prompt_detection_details'), ...detailsOf(body, 'response_detection_details')],
    timeout,
    hasError,
    contentErrors: list(body, 'errors').map((one) => {
      const error = isObject(one) ? one : misread('an error is not an object')
      return {
        contentType: optionalText(error, 'content_type') ?? '',
        feature: optionalText(error, 'feature') ?? '',
        status: optionalText(error, 'status') ?? '',
      }
    }),
    ...named('source', optionalText(body, 'source')),
    ...named('createdAt', optionalText(body, 'created_at')),
    ...named('completedAt', optionalText(body, 'completed_at')),
  }
}

/**
 * Reads the answer to one scan. Deciding members are required and checked; unknown ones are skipped, except detections
 * and actions, which count as the worse case. Quotes nothing of the answer.
 */
export const readScanResult = (body: unknown): ReadResult => {
  if (!isObject(body)) return { outcome: 'invalid', why: 'its answer is not a JSON object' }
  try {
    return { outcome: 'result', result: read(body) }
  } catch (error) {
    if (error instanceof Error && error.cause === MISREAD) return { outcome: 'invalid', why: error.message }
    throw error
  }
}
