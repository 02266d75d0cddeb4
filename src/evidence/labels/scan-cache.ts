import type { Finding } from '../../protocol/evidence.ts'

/** What the last scan of a session's messages found. */
export interface LastScan {
  /** Hash of the message that was scanned. */
  readonly message: string
  /** Where the message stands in its session: a scan of an older message never replaces one of a newer. */
  readonly order: number
  readonly findings: readonly Finding[]
}

/** The findings of the last scan, for the hooks that come after the one that scanned; one a session, for a short time. */
export interface ScanCache {
  /** Keeps a scan, unless that of a newer message is there. Says whether it was kept. */
  set(session: string, scan: LastScan, now: number): boolean
  get(session: string, now: number): LastScan | undefined
  /** The last scan, if it was of this very message. */
  getIfMatches(session: string, message: string, now: number): LastScan | undefined
  clear(session: string): void
}

export interface ScanCacheLimits {
  /** Milliseconds that a scan counts; default 30,000. */
  readonly ttlMs?: number
  /** Sessions kept; the one set the longest ago goes first. Default 1,024. */
  readonly sessions?: number
}

/** Makes a scan cache in memory. Time is handed in with every call, in milliseconds. */
export const createScanCache = ({ ttlMs = 30_000, sessions = 1_024 }: ScanCacheLimits = {}): ScanCache => {
  const kept = new Map<string, { readonly scan: LastScan; readonly until: number }>()
  const get = (session: string, now: number): LastScan | undefined => {
    const entry = kept.get(session)
    if (entry === undefined) return undefined
    if (now < entry.until) return entry.scan
    kept.delete(session)
    return undefined
  }
  return Object.freeze<ScanCache>({
    set: (session, scan, now) => {
      const newest = get(session, now)
      if (newest !== undefined && newest.order > scan.order) return false
      kept.delete(session)
      kept.set(session, { scan, until: now + ttlMs })
      for (const oldest of kept.keys()) {
        if (kept.size <= sessions) break
        kept.delete(oldest)
      }
      return true
    },
    get,
    getIfMatches: (session, message, now) => {
      const scan = get(session, now)
      return scan?.message === message ? scan : undefined
    },
    clear: (session) => {
      kept.delete(session)
    },
  })
}
