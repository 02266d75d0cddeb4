import type { Candidate, KeywordRule } from '../rule.ts'
import { isSpecimen } from './specimens.ts'
import { LEFT } from './token-rules.ts'

/** Whether the part before the first dot is the header of a JSON web token: it names an algorithm. */
const hasHeader = ({ value }: Candidate): boolean => {
  const header = value.slice(0, value.indexOf('.'))
  try {
    const decoded: unknown = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof decoded === 'object' && decoded !== null && 'alg' in decoded
  } catch {
    return false
  }
}

/** JSON web tokens, signed (three parts) or encrypted (five). */
export const JWT_RULES: readonly KeywordRule[] = [
  {
    type: 'jwt',
    severity: 'high',
    confidence: 0.9,
    byForm: true,
    anchors: ['eyj'],
    pattern: String.raw`${LEFT}eyJ[A-Za-z0-9_-]{10,1000}\.[A-Za-z0-9_-]{0,8000}\.[A-Za-z0-9_-]{0,2000}(?:\.[A-Za-z0-9_-]{1,8000}\.[A-Za-z0-9_-]{1,200})?(?![A-Za-z0-9_-])`,
    assess: (candidate) => (hasHeader(candidate) && !isSpecimen(candidate.value) ? 0.9 : undefined),
  },
]
