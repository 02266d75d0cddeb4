import type { PromptDetected, ResponseDetected, ScanAction, ScanResult, ScanSeverity } from './scan-result.ts'
import { isFlagged } from './scan-result.ts'

const ACTIONS: readonly ScanAction[] = ['allow', 'warn', 'block']
const SEVERITIES: readonly ScanSeverity[] = ['SAFE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

const worse = <T>(order: readonly T[], one: T, other: T): T =>
  order.indexOf(one) >= order.indexOf(other) ? one : other

const either = <T extends PromptDetected | ResponseDetected>(one: T, other: T): T => ({
  ...one,
  ...Object.fromEntries(Object.entries(other).filter(([, raised]) => raised === true)),
})

/** A scan of both sides of an exchange: as grave as the graver of them. The ids are those of the first. */
export const mergeScans = (one: ScanResult, other: ScanResult): ScanResult => {
  const threats = [...new Set([...one.categories, ...other.categories])].filter((category) => category !== 'safe')
  const graver = worse(ACTIONS, one.action, other.action) === one.action ? one : other
  return {
    ...other,
    ...one,
    action: graver.action,
    decision: graver.decision,
    masked: [one, other].some(({ masked }) => masked) && [one, other].every((side) => side.masked || !isFlagged(side)),
    severity: worse(SEVERITIES, one.severity, other.severity),
    categories: threats.length === 0 ? ['safe'] : threats,
    promptDetected: either(one.promptDetected, other.promptDetected),
    responseDetected: either(one.responseDetected, other.responseDetected),
    latencyMs: one.latencyMs + other.latencyMs,
    timeout: one.timeout || other.timeout,
    hasError: one.hasError || other.hasError,
    contentErrors: [...one.contentErrors, ...other.contentErrors],
  }
}
