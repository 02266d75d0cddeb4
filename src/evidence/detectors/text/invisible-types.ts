/** Invisible characters outside words, and sequences that move a terminal's cursor: removed without a mask. */
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
