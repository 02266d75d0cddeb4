import type { AgentRef, SessionRef } from '../../protocol/step.ts'
import type { TranscriptPlace } from '../../core/model-turns.ts'
import { asStoreError, openDatabase } from '../stores/sqlite-schema.ts'
import type { TurnCursors, UnreadTranscript } from './cursor-store.ts'

/** Each takes the schema from its index to the next version. Released ones never change. `at` is when it last grew. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE transcripts (
     session TEXT NOT NULL, path TEXT NOT NULL, at REAL NOT NULL,
     session_ref TEXT NOT NULL, agent TEXT NOT NULL, unread INTEGER NOT NULL, ended INTEGER NOT NULL,
     start INTEGER, taken INTEGER, mark TEXT,
     PRIMARY KEY (session, path)
   ) STRICT, WITHOUT ROWID;`,
]

/**
 * Milliseconds to wait for another process that is writing: the whole guard waits with it, and a loss here costs only
 * time.
 */
const BUSY_MS = 100

interface Row {
  readonly path: string
  readonly session_ref: string
  readonly agent: string
  readonly ended: number
}

interface PlaceRow {
  readonly start: number | null
  readonly taken: number | null
  readonly mark: string | null
}

const placeOf = (row: PlaceRow | undefined): TranscriptPlace | undefined =>
  row === undefined || row.start === null || row.taken === null || row.mark === null
    ? undefined
    : { offset: row.start, taken: row.taken, mark: row.mark }

const transcriptOf = ({ path, session_ref: session, agent, ended }: Row): UnreadTranscript => ({
  path,
  session: JSON.parse(session) as SessionRef,
  agent: JSON.parse(agent) as AgentRef,
  ended: ended === 1,
})

/** Location of the cursors, and the lifetime of those whose session has no known end. */
export interface SqliteCursorOptions {
  readonly path: string
  /** Milliseconds since the epoch: transcripts that have not grown since are removed. */
  readonly before: number
}

/**
 * Opens the cursors in a SQLite file.
 * @throws SallyportError SP_STORE_*
 */
export const openSqliteCursors = ({ path, before }: SqliteCursorOptions): TurnCursors => {
  const db = openDatabase({ path, migrations: MIGRATIONS })
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  const unread = db.prepare(
    `INSERT INTO transcripts (session, path, at, session_ref, agent, unread, ended) VALUES (?, ?, ?, ?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, session_ref = excluded.session_ref, agent = excluded.agent,
       unread = 1, ended = max(ended, excluded.ended)`,
  )
  const place = db.prepare('SELECT start, taken, mark FROM transcripts WHERE session = ? AND path = ?')
  const moved = db.prepare(
    `INSERT INTO transcripts (session, path, at, session_ref, agent, unread, ended, start, taken, mark)
     VALUES (?, ?, 0, ?, ?, 0, 0, ?, ?, ?)
     ON CONFLICT DO UPDATE SET start = excluded.start, taken = excluded.taken, mark = excluded.mark`,
  )
  const read = db.prepare('UPDATE transcripts SET unread = 0 WHERE session = ? AND path = ?')
  const clear = db.prepare('DELETE FROM transcripts WHERE session = ?')
  const left = db.prepare('SELECT path, session_ref, agent, ended FROM transcripts WHERE unread = 1 ORDER BY at')
  db.prepare('DELETE FROM transcripts WHERE at < ?').run(before)

  const kept = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asStoreError(error, path)
    }
  }

  return Object.freeze<TurnCursors>({
    unread: (one, at) => {
      const { session, agent, ended } = one
      kept(() => unread.run(session.id, one.path, at, JSON.stringify(session), JSON.stringify(agent), ended ? 1 : 0))
    },
    place: (one) => kept(() => placeOf(place.get(one.session.id, one.path) as PlaceRow | undefined)),
    moved: (one, { offset, taken, mark }) => {
      const { session, agent } = one
      kept(() => moved.run(session.id, one.path, JSON.stringify(session), JSON.stringify(agent), offset, taken, mark))
    },
    read: (one) => {
      kept(() => read.run(one.session.id, one.path))
    },
    clear: (session) => {
      kept(() => clear.run(session))
    },
    left: () => kept(() => (left.all() as unknown as Row[]).map(transcriptOf)),
    close: () => {
      db.close()
    },
  })
}
