import type { Severity } from '../../../protocol/evidence.ts'
import type { KeywordRule } from '../rule.ts'
import { isTokenPlaceholder } from './placeholder.ts'

/** No word goes on to the left. The letter of an escape (`\n`) or of a percent code (`%3D`) is no word. */
export const LEFT = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`

/** No word goes on to the right. */
export const RIGHT = '(?![A-Za-z0-9_])'

/** The same where dashes belong to the token. */
export const WORD_RIGHT = '(?![A-Za-z0-9_-])'

/** A token with a prefix of its own: what most providers give out. */
export interface TokenRow {
  readonly type: string
  readonly anchors: readonly string[]
  /** Source of the pattern between the edges; begins where the anchor does unless `before` says otherwise. */
  readonly pattern: string
  readonly before?: number
  readonly severity?: Severity
  readonly confidence?: number
  /** Bits a character; default 3, which no placeholder reaches and every random token does. */
  readonly entropy?: number
  /** Replaces the right edge, for bodies that may hold more than letters, digits and underscores. */
  readonly right?: string
  readonly ignoreCase?: boolean
}

/** A rule for a token that is told by its own form; without more context, and certain enough to act on. */
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
