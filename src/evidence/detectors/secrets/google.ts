import type { KeywordRule } from '../rule.ts'
import { WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Google Cloud and Google APIs. The private-key rules find the key of a service account. */
export const GOOGLE_RULES: readonly KeywordRule[] = [
  tokenRule({ type: 'google-api-key', anchors: ['aiza'], pattern: 'AIza[A-Za-z0-9_-]{35}', right: WORD_RIGHT }),
  // The newer kind.
  tokenRule({
    type: 'google-api-key',
    anchors: ['aq.ab'],
    pattern: String.raw`AQ\.Ab[A-Za-z0-9_-]{46,60}`,
    entropy: 4,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'google-oauth-secret',
    anchors: ['gocspx-'],
    pattern: 'GOCSPX-[A-Za-z0-9_-]{28}',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'google-oauth-token',
    anchors: ['ya29.'],
    // Dots only after short parts and at the end; with dots anywhere, `ya29.ya29.…` would be read anew at each of them.
    pattern: String.raw`ya29\.(?:[A-Za-z0-9]{1,2}\.){0,2}[A-Za-z0-9_-]{20,2048}\.{0,256}`,
  }),
  tokenRule({
    type: 'google-refresh-token',
    anchors: ['1//0'],
    pattern: '1//0[A-Za-z0-9_-]{40,200}',
    right: WORD_RIGHT,
  }),
]
