import { asStoreError, openDatabase } from '../stores/sqlite-schema.ts'
import type { EventSession, OpenEvent, OpenEvents } from './open-events.ts'

/** Each takes the schema from its index to the next version. Released ones never change. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (session TEXT PRIMARY KEY, at REAL NOT NULL, ended_at REAL) STRICT, WITHOUT ROWID;
   CREATE TABLE events (
     session TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, type TEXT NOT NULL, event_id TEXT NOT NULL,
     digest TEXT NOT NULL, result TEXT NOT NULL, reason TEXT, is_open INTEGER NOT NULL,
     PRIMARY KEY (session, key)
   ) STRICT, WITHOUT ROWID;`,
]

interface Row {
  readonly session: string
  readonly key: string
  readonly type: string
  readonly event_id: string
  readonly digest: string
  readonly result: string
  readonly reason: string | null
}

const eventOf = ({ session, key, type, event_id: eventId, digest, result, reason }: Row): OpenEvent => ({
  session,
  key,
  type,
  eventId,
  digest,
  result,
  ...(reason === null ? {} : { reason }),
})

/** Opens the events that are open elsewhere, in a SQLite file. @throws SallyportError SP_STORE_* */
export const openSqliteOpenEvents = (path: string): OpenEvents => {
  const db = openDatabase({ path, migrations: MIGRATIONS })
  const statements = {
    begun: db.prepare('SELECT 1 FROM sessions WHERE session = ?'),
    touch: db.prepare(
      'INSERT INTO sessions (session, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at, ended_at = NULL',
    ),
    get: db.prepare('SELECT * FROM events WHERE session = ? AND key = ?'),
    opened: db.prepare('INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)'),
    shut: db.prepare('UPDATE events SET is_open = 0 WHERE session = ? AND key = ?'),
    remove: db.prepare('DELETE FROM events WHERE session = ? AND key = ?'),
    open: db.prepare('SELECT * FROM events WHERE session = ? AND is_open = 1 ORDER BY at, key'),
    ended: db.prepare('UPDATE sessions SET ended_at = ? WHERE session = ?'),
    forgetEvents: db.prepare('DELETE FROM events WHERE session = ?'),
    forget: db.prepare('DELETE FROM sessions WHERE session = ?'),
    left: db.prepare('SELECT session, ended_at FROM sessions WHERE ended_at IS NOT NULL OR at < ? ORDER BY at'),
  }

  const kept = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asStoreError(error, path)
    }
  }
  /** All of it, or nothing. */
  const atOnce = (work: () => void): void => {
    kept(() => {
      db.exec('BEGIN IMMEDIATE')
      try {
        work()
        db.exec('COMMIT')
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      }
    })
  }

  return Object.freeze<OpenEvents>({
    isBegun: (session) => kept(() => statements.begun.get(session) !== undefined),
    get: (session, key) =>
      kept(() => {
        const row = statements.get.get(session, key) as Row | undefined
        return row === undefined ? undefined : eventOf(row)
      }),
    opened: ({ session, key, type, eventId, digest, result, reason }, at) => {
      atOnce(() => {
        statements.touch.run(session, at)
        statements.opened.run(session, key, at, type, eventId, digest, result, reason ?? null)
      })
    },
    closed: (session, key, keeps = false) => {
      kept(() => (keeps ? statements.shut : statements.remove).run(session, key))
    },
    open: (session) => kept(() => (statements.open.all(session) as unknown as Row[]).map(eventOf)),
    ended: (session, at) => {
      kept(() => statements.ended.run(at, session))
    },
    forget: (session) => {
      atOnce(() => {
        statements.forgetEvents.run(session)
        statements.forget.run(session)
      })
    },
    left: (quietSince) =>
      kept(() =>
        (statements.left.all(quietSince) as unknown as { session: string; ended_at: number | null }[]).map(
          ({ session, ended_at: endedAt }): EventSession => (endedAt === null ? { session } : { session, endedAt }),
        ),
      ),
    close: () => {
      db.close()
    },
  })
}
