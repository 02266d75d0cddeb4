import { INVISIBLE_TYPES } from '../text/invisible-types.ts'

/** Every type of hidden text; `docs/detectors/hidden-text.md` tells of each. */
export const HIDDEN_TYPES = [
  ...INVISIBLE_TYPES,
  'mixed-script',
  'terminal-clipboard',
  'terminal-conceal',
  'html-comment',
  'markdown-comment',
  'invisible-style',
] as const

/** So that a typing error is none. */
export type HiddenType = (typeof HIDDEN_TYPES)[number]
