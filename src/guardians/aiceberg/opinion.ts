import { NO_OBJECTION } from '../../core/guardian.ts'
import type { Opinion } from '../../core/guardian.ts'
import type { Finding, Severity } from '../../protocol/evidence.ts'
import type { EventAnswer } from './api.ts'
import type { Reported, Unreported } from './event-client.ts'

/** `observe` tells and asks the same, and stops nothing. */
export type AicebergMode = 'enforce' | 'observe'

/** Words for a result against which nothing is to be said. The vocabulary is not documented whole. */
const PASSED: ReadonlySet<string> = new Set(['passed', 'pass', 'allowed', 'allow', 'none'])
/** Something was found, and the profile lets it pass. */
const FLAGGED: ReadonlySet<string> = new Set(['flagged', 'flag'])

const finding = (detector: string, type: string, severity: Severity): Finding => ({
  category: type === 'no_verdict' ? 'scan_failure' : 'agent_threat',
  type,
  severity,
  confidence: 1,
  span: { pointer: '', start: 0, end: 0 },
  detector,
})

/** Any word that is not known is a refusal: nobody has said that the step is fine. */
const answered = (id: string, { eventId, result, reason }: EventAnswer, mode: AicebergMode): Opinion => {
  const word = result.toLowerCase()
  if (PASSED.has(word)) return { ...NO_OBJECTION, reason: `Aiceberg event ${eventId}` }
  const because = reason === undefined ? '' : ` (${reason})`
  const said = { reasonCodes: [`${id}:${word.replaceAll(/[^\w-]/g, '_').slice(0, 40)}`] }
  if (FLAGGED.has(word))
    return {
      ...NO_OBJECTION,
      ...said,
      reason: `Aiceberg flagged this${because}, event ${eventId}`,
      findings: [finding(id, 'flagged', 'medium')],
    }
  const findings = [finding(id, 'blocked', 'high')]
  if (mode === 'observe')
    return {
      ...NO_OBJECTION,
      ...said,
      observed: 'deny',
      reason: `Aiceberg would block this${because}, event ${eventId}`,
      findings,
    }
  return {
    ...NO_OBJECTION,
    ...said,
    decision: 'deny',
    reason: `Aiceberg answered "${result.slice(0, 40)}"${because}. Continue without it; if this is wrong, send the event ${eventId} to the owner of the policy.`,
    findings,
  }
}

/** What the guardian says of one event. */
export const opinionOf = (
  id: string,
  told: Reported | Pick<Unreported, 'outcome' | 'why' | 'cause'>,
  mode: AicebergMode,
): Opinion => {
  if (told.outcome === 'answered') return answered(id, told.answer, mode)
  const { outcome, why, cause } = told
  // That the step was not scanned is found of every guardian that fails.
  if (mode === 'enforce') return { outcome, why, cause }
  return {
    ...NO_OBJECTION,
    observed: 'deny',
    reason: `Aiceberg gave no verdict: ${cause}`,
    reasonCodes: [`${id}:no_verdict`],
    findings: [finding(id, 'no_verdict', 'high')],
  }
}

/** The opinion on a step of several events: any denial denies, any failure fails, also one that is only observed. */
export const strongest = (opinions: readonly Opinion[]): Opinion => {
  const denied = opinions.find((one) => one.outcome === 'verdict' && one.decision === 'deny')
  const failed = opinions.find((one) => one.outcome === 'failed')
  const verdicts = opinions.filter((one) => one.outcome === 'verdict')
  const observed = verdicts.find((one) => one.observed !== undefined)
  const found = verdicts.find(({ findings }) => findings.length > 0)
  const told = verdicts.find(({ reason }) => reason !== '')
  return denied ?? failed ?? observed ?? found ?? told ?? NO_OBJECTION
}
