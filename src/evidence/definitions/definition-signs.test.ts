import { holdsToLinearTime } from '../../../test/support/linear-time.ts'
import { CHANGE_PATTERNS } from './definition-findings.ts'
import { DEFINITION_PATTERNS } from './definition-signs.ts'

holdsToLinearTime('definitions', [...Object.values(DEFINITION_PATTERNS), ...Object.values(CHANGE_PATTERNS)])
