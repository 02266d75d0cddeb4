/** Families of rules; each adds its own weight to the score of a text. */
export const FINDING_SIGNALS = [
  'override',
  'role-marker',
  'tool-syntax',
  'addressed',
  'extraction',
  'exfiltration',
  'capability',
] as const

/** The family of a rule. */
export type InjectionSignal = (typeof FINDING_SIGNALS)[number]
