import { Buffer } from 'node:buffer'
import { createHash, hash } from 'node:crypto'
import { canonicalJson } from '../canonical-json.ts'
import type { JsonObject } from '../json.ts'

/** One link of a session's audit chain (ACS 0.1.0, section 8.1). */
export interface ContextEntry {
  readonly entry_id: string
  readonly step_id: string
  readonly step_type: string
  /** SHA-256, hex, of the canonical params of the request (profile acs-audit). */
  readonly request_hash: string
  /** The request's own timestamp, so that anyone who has the request can compute the entry. */
  readonly timestamp: string
  /** Absent in the first entry of a session. */
  readonly previous_hash?: string
  readonly entry_hash: string
}

/** Hash of an entry: over its canonical form without its two hashes, then the bytes of the previous one (section 8.2). */
const entryHash = ({ entry_hash: _own, previous_hash: previous, ...content }: Partial<ContextEntry>): string =>
  createHash('sha256')
    .update(canonicalJson(content))
    .update(previous === undefined ? '' : Buffer.from(previous, 'hex'))
    .digest('hex')

/** The entry of a step that follows `previous`. */
export const contextEntry = (
  step: {
    readonly requestId: string
    readonly method: string
    readonly timestamp: string
    readonly params: JsonObject
  },
  previous: string | undefined,
): ContextEntry => {
  const entry = {
    entry_id: step.requestId,
    step_id: step.requestId,
    step_type: step.method,
    request_hash: hash('sha256', canonicalJson(step.params)),
    timestamp: step.timestamp,
    ...(previous === undefined ? {} : { previous_hash: previous }),
  }
  return { ...entry, entry_hash: entryHash(entry) }
}
