/** Characters that show nothing and belong to no word, and what moves a terminal's cursor: cut out without a trace. */
export const INVISIBLE_TYPES = [
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
  'terminal-control',
  'terminal-cursor',
  'terminal-link',
  'terminal-title',
] as const
