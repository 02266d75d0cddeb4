import type { Verdict } from '../../src/protocol/verdict.ts'

/** A verdict that lets everything pass, and says nothing of it. */
export const ALLOWED: Verdict = {
  decision: 'allow',
  reason: '',
  reasonCodes: [],
  policies: [],
  findings: [],
  edits: [],
  guardians: [],
  mergeNotes: [],
  unguarded: false,
}
