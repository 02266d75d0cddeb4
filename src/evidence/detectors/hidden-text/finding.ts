import type { Severity } from '../../../protocol/evidence.ts'
import type { Match } from '../detector.ts'
import type { HiddenType } from './hidden-types.ts'

/** A match of hidden text. Offsets are UTF-16 code units. */
export const hidden = (
  type: HiddenType,
  severity: Severity,
  confidence: number,
  start: number,
  end: number,
): Match => ({ category: 'hidden_text', type, severity, confidence, start, end })
