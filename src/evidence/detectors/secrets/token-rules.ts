import type { Severity } from '../../../protocol/evidence.ts'
import type { KeywordRule } from '../rule.ts'
import { isTokenPlaceholder } from './placeholder.ts'

/** No word continues to the left. The letter of an escape (`\n`) or of a percent code (`%3D`) is not a word. */
export const LEFT = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`

/** No word continues to the right. */
export const RIGHT = '(?![A-Za-z0-9_])'

/** The same for tokens with dashes. */
export const WORD_RIGHT = '(?![A-Za-z0-9_-])'

/** A token with a prefix of its own: the form of most providers. */
export interface TokenRow {
  readonly type: string
  readonly anchors: readonly string[]
  /** Source of the pattern between the edges; begins at the anchor unless `before` is set. */
  readonly pattern: string
  readonly before?: number
  readonly severity?: Severity
  readonly confidence?: number
  /** Bits per character; default 3, which every random token reaches and no placeholder does. */
  readonly entropy?: number
  /** Replaces the right edge, for bodies with more than letters, digits and underscores. */
  readonly right?: string
  readonly ignoreCase?: boolean
}

/** Creates the rule for a token that is identified by its own form; certain enough without context. */
export const tokenRule = (row: TokenRow): KeywordRule => {
  const confidence = row.confidence ?? 0.95
  return {
    type: row.type,
    severity: row.severity ?? 'critical',
    confidence,
    byForm: true,
    anchors: row.anchors,
    pattern: `${LEFT}(${row.pattern})${row.right ?? RIGHT}`,
    ...(row.before === undefined ? {} : { before: row.before }),
    ...(row.ignoreCase === undefined ? {} : { ignoreCase: row.ignoreCase }),
    entropy: row.entropy ?? 3,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : confidence),
  }
}
