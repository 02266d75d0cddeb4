import { createHash } from 'node:crypto'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { ScanResult } from './scan-result.ts'

/** A message's position in its session, assigned when its scan begins. */
export interface ScanTicket {
  readonly session: string
  /** Grows with every message, over all sessions. */
  readonly sequence: number
  readonly hash: string
}

/** Options of the cache. */
export interface ScanCacheOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Milliseconds for which a result is valid. */
  readonly ttlMs?: number
  /** Most sessions; the least recently used one is evicted first. */
  readonly sessions?: number
}

/**
 * The last scan of each session, for the later hooks of the turn. The newest message wins: the scan of an older one
 * that ends late neither replaces nor removes the result of a newer one. No timer runs.
 */
export interface ScanCache {
  /** Called when a message arrives, before its scan: later messages are newer than this one. */
  begin(session: string, text: string): ScanTicket
  /** Stores the result of a scan; false when a newer message has a result already. */
  put(ticket: ScanTicket, result: ScanResult): boolean
  /** The result of this text, if the session's newest result is of it. */
  getIfMatch(session: string, text: string): ScanResult | undefined
  /** The newest result of the session. */
  get(session: string): ScanResult | undefined
  /** Removes the session's result when it is of this text and no newer message has arrived since. */
  clear(session: string, text: string): void
  /** Number of sessions. */
  readonly size: number
}

interface Known {
  readonly hash: string
  readonly result: ScanResult
  readonly at: number
}

interface Session {
  /** Sequence of the newest message. */
  readonly newest: number
  /** Sequence of the newest message with a result. */
  readonly settled: number
  readonly known?: Known
}

const TTL_MS = 30_000
const SESSIONS = 4_096
/** Longer than the deadline of any scan: until then a late result has to be distinguished from a newer one. */
const LATE_MS = 60_000

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Makes an empty cache. */
export const createScanCache = ({ now, ttlMs = TTL_MS, sessions = SESSIONS }: ScanCacheOptions): ScanCache => {
  const kept = createBoundedMap<string, Session>({ most: sessions, age: { ms: Math.max(LATE_MS, ttlMs), now } })
  let sequence = 0

  const fresh = (known: Known | undefined): Known | undefined =>
    known !== undefined && now() - known.at < ttlMs ? known : undefined
  const knownOf = (name: string): Known | undefined => fresh(kept.get(name)?.known)

  return Object.freeze<ScanCache>({
    begin(session, text) {
      sequence += 1
      kept.set(session, { settled: 0, ...kept.get(session), newest: sequence })
      return { session, sequence, hash: hashOf(text) }
    },
    put({ session, sequence: ownSequence, hash }, result) {
      const known = kept.get(session)
      if (known === undefined || ownSequence < known.settled) return false
      kept.set(session, { ...known, settled: ownSequence, known: { hash, result, at: now() } })
      return true
    },
    getIfMatch(session, text) {
      const known = knownOf(session)
      return known !== undefined && known.hash === hashOf(text) ? known.result : undefined
    },
    get: (session) => knownOf(session)?.result,
    clear(session, text) {
      const current = kept.get(session)
      if (current?.known === undefined || current.newest !== current.settled) return
      if (current.known.hash !== hashOf(text)) return
      const { newest, settled } = current
      kept.set(session, { newest, settled })
    },
    get size() {
      return kept.size
    },
  })
}
