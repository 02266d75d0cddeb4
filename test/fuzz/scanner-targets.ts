import fc from 'fast-check'
import { applyEdits } from '../../src/core/edits.ts'
import { NO_OBJECTION } from '../../src/core/guardian.ts'
import type { Opinion } from '../../src/core/guardian.ts'
import { subjectsOf } from '../../src/guardians/prisma-airs/contents.ts'
import { opinionOf, united } from '../../src/guardians/prisma-airs/opinion.ts'
import { readScanResult } from '../../src/guardians/prisma-airs/scan-result.ts'
import { SEVERITIES, FINDING_CATEGORIES } from '../../src/protocol/evidence.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { valueAt } from '../../src/protocol/json-pointer.ts'
import type { Step } from '../../src/protocol/step.ts'
import { detectBySigns } from '../../src/testing/index.ts'
import { anyValue, spoiltJson } from './hostile-json.ts'
import { holds, isSame } from './laws.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const TERMS = {
  id: 'airs',
  onAlert: 'deny',
  maskDlp: true,
  maskFor: (type: string) => `[masked:${type.length}]`,
} as const
const SSN = '123-45-6789'

const stepOf = (kind: string, payload: Json): Step =>
  ({
    id: '1',
    host: 'h',
    event: 'E',
    at: 0,
    session: { id: 's' },
    agent: { id: 'main', role: 'main' },
    kind,
    payload,
  }) as unknown as Step

/** Steps with something to mask, before and after hostile values. */
const steps: fc.Arbitrary<Step> = fc.tuple(fc.nat(3), anyValue, fc.boolean()).map(([kind, value, secret]) => {
  const text = `${JSON.stringify(value).slice(0, 200)} ${secret ? SSN : ''} end`
  const tool = { name: 'Bash' }
  switch (kind) {
    case 0:
      return stepOf('userMessage', { text })
    case 1:
      return stepOf('toolCallRequest', { tool, input: { command: text, more: value } })
    case 2:
      return stepOf('toolCallResult', { tool, input: {}, status: 'succeeded', output: [value, text] })
    default:
      return stepOf('agentMessage', { text, final: true })
  }
})

const sound = (more: JsonObject): JsonObject => ({
  report_id: 'R-1',
  scan_id: '1',
  profile_name: 'p',
  timeout: false,
  error: false,
  errors: [],
  prompt_detected: {},
  response_detected: {},
  tool_detected: {},
  ...more,
})

/** What the service says of a step: as a stand-in would, or spoilt. */
const answers = (step: Step): fc.Arbitrary<{ readonly step: Step; readonly answers: readonly JsonObject[] }> => {
  const all = subjectsOf(step, () => []).map(({ content }) => {
    const { more = {}, ...found } = detectBySigns(content, { ai_profile: {}, contents: [content] })
    return sound({ ...found, ...more })
  })
  return fc.record({ step: fc.constant(step), answers: fc.tuple(...all.map((one) => spoiltJson([one]))) })
}

const opinionOn = (step: Step, all: readonly JsonObject[]): Opinion => {
  const opinions = subjectsOf(step, () => []).map((subject, index): Opinion => {
    const read = readScanResult(all[index])
    return read.outcome === 'invalid'
      ? { outcome: 'failed', why: 'invalid', cause: read.why }
      : opinionOf(read.result, subject, step, TERMS)
  })
  const [first, ...rest] = opinions
  return first === undefined ? NO_OBJECTION : united([first, ...rest])
}

const lies = (step: Step, opinion: Opinion): void => {
  for (const { category, severity, confidence, span } of opinion.findings ?? []) {
    holds('a finding is of a known kind', FINDING_CATEGORIES.includes(category) && SEVERITIES.includes(severity))
    holds('a confidence is above 0 and at most 1', confidence > 0 && confidence <= 1, confidence)
    const at = span.pointer === '' ? '' : valueAt(step.payload as unknown as Json, span.pointer)
    holds('a finding lies in a text', typeof at === 'string' && span.end <= at.length && span.start <= span.end, span)
  }
}

/** Scanners elsewhere: whatever they answer. */
export const createScannerTargets = (): readonly Target[] => [
  target('prisma-airs', steps.chain(answers), ({ step, answers: all }) => {
    const opinion = isSame(opinionOn(step, all), opinionOn(step, all))
    lies(step, opinion)
    if (opinion.outcome === 'failed') {
      holds('a failure says why', opinion.cause !== '')
      return
    }
    const { decision, edits, reason } = opinion
    holds(
      'nothing is let pass but what the service allows',
      decision !== 'allow' || all.every(({ action }) => action === 'allow'),
    )
    holds('who changes says what, and who does not has no edit', (decision === 'modify') === edits.length > 0, decision)
    holds('a denial has a reason', decision !== 'deny' || reason !== '')
    if (decision !== 'modify') return
    const applied = applyEdits(step.payload as unknown as Json, edits)
    holds('edits apply', applied.outcome === 'applied', edits)
  }),
]
