import { holdsToLinearTime } from '../../../../test/support/linear-time.ts'
import { INSTRUCTION_PATTERNS } from './instructs.ts'
import { MARKUP_PATTERNS } from './markup.ts'

holdsToLinearTime('hidden-text', [...INSTRUCTION_PATTERNS, ...MARKUP_PATTERNS])
