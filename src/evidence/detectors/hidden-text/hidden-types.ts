import { INVISIBLE_TYPES } from '../text/invisible-types.ts'

/** Every type of hidden text; `docs/detectors/hidden-text.md` describes each. */
export const HIDDEN_TYPES = [
  ...INVISIBLE_TYPES,
  'mixed-script',
  'terminal-clipboard',
  'terminal-conceal',
  'html-comment',
  'markdown-comment',
  'invisible-style',
] as const

/** A union, so that a misspelled type does not compile. */
export type HiddenType = (typeof HIDDEN_TYPES)[number]
