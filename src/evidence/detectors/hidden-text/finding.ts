import type { Severity } from '../../../protocol/evidence.ts'
import type { Match } from '../detector.ts'

/** Every type of hidden text; `docs/detectors/hidden-text.md` tells of each. */
export const HIDDEN_TYPES = [
  'tag-characters',
  'variation-selectors',
  'stray-selector',
  'invisible-run',
  'invisible-spread',
  'invisible-padding',
  'zero-width',
  'invisible-letter',
  'bidi-override',
  'bidi-control',
  'mixed-script',
  'terminal-clipboard',
  'terminal-conceal',
  'terminal-control',
  'terminal-cursor',
  'terminal-link',
  'terminal-title',
  'html-comment',
  'markdown-comment',
  'invisible-style',
] as const

/** So that a typing error is none. */
export type HiddenType = (typeof HIDDEN_TYPES)[number]

/** A match of hidden text. Offsets are UTF-16 code units. */
export const hidden = (
  type: HiddenType,
  severity: Severity,
  confidence: number,
  start: number,
  end: number,
): Match => ({ category: 'hidden_text', type, severity, confidence, start, end })
