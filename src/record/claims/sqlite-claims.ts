import type { ProcessRef } from '../../processes/processes.ts'
import { asStoreError, openDatabase } from '../stores/sqlite-schema.ts'
import type { Claim, ClaimStore } from './claims.ts'

/** Each takes the schema from its index to the next version. Released ones never change. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE claims (
     session TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER, started TEXT, boot TEXT, is_loose INTEGER NOT NULL,
     is_nested INTEGER NOT NULL, has_ended INTEGER NOT NULL, at REAL NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX claims_pid ON claims (pid);
   CREATE INDEX claims_at ON claims (at);`,
]

/** Sessions that are remembered; the oldest go first. */
const MOST = 20_000

interface Row {
  readonly session: string
  readonly host: string
  readonly pid: number | null
  readonly started: string | null
  readonly boot: string | null
  readonly is_loose: number
  readonly is_nested: number
  readonly has_ended: number
}

const claimOf = ({
  session,
  host,
  pid,
  started,
  boot,
  is_loose: loose,
  is_nested: nested,
  has_ended: ended,
}: Row): Claim => ({
  session,
  host,
  loose: loose === 1,
  nested: nested === 1,
  ended: ended === 1,
  ...(pid === null || started === null || boot === null ? {} : { process: { pid, started, boot } }),
})

/** Opens the claims in a SQLite file. @throws SallyportError SP_STORE_* */
export const openSqliteClaims = (path: string): ClaimStore => {
  const db = openDatabase({ path, migrations: MIGRATIONS })
  const statements = {
    all: db.prepare('SELECT * FROM claims ORDER BY at DESC LIMIT ?'),
    put: db.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    isClaimant: db.prepare('SELECT 1 FROM claims WHERE pid = ? AND started = ? AND boot = ?'),
    prune: db.prepare('DELETE FROM claims WHERE at < (SELECT at FROM claims ORDER BY at DESC LIMIT 1 OFFSET ?)'),
  }
  const kept = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asStoreError(error, path)
    }
  }
  kept(() => statements.prune.run(MOST - 1))
  const known = new Map(
    kept(() => statements.all.all(MOST) as unknown as readonly Row[]).map((row) => [row.session, claimOf(row)]),
  )
  return Object.freeze<ClaimStore>({
    get: (session) => known.get(session),
    put(claim, at) {
      const { session, host, process, loose, nested, ended } = claim
      kept(() =>
        statements.put.run(
          session,
          host,
          process?.pid ?? null,
          process?.started ?? null,
          process?.boot ?? null,
          loose ? 1 : 0,
          nested ? 1 : 0,
          ended ? 1 : 0,
          at,
        ),
      )
      known.set(session, claim)
    },
    isClaimant: ({ pid, started, boot }: ProcessRef) =>
      kept(() => statements.isClaimant.get(pid, started, boot) !== undefined),
    close: () => {
      db.close()
    },
  })
}
