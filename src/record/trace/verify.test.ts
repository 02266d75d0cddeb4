import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openSqliteStore } from '../stores/sqlite.ts'
import { verifyTrace, type TraceFault } from './verify.ts'

const HASH = '0'.repeat(64)
/** Manipulations of a trace behind the guard's back, and the reported faults. Events of `a`: 3, of `b`: 2. */
const TAMPERINGS: readonly { readonly name: string; readonly sql: string; readonly faults: readonly TraceFault[] }[] = [
  { name: 'nothing', sql: 'SELECT 1', faults: [] },
  {
    name: 'another decision',
    sql: `UPDATE events SET body = replace(body, 'deny', 'allow') WHERE session_id = 2 AND seq = 2`,
    faults: [{ kind: 'changed', session: 'a', seq: 2 }],
  },
  {
    name: 'the same body in other words',
    sql: `UPDATE events SET body = replace(body, ':', ': ') WHERE session_id = 2 AND seq = 2`,
    faults: [{ kind: 'changed', session: 'a', seq: 2 }],
  },
  {
    name: 'a body that is no JSON',
    sql: `UPDATE events SET body = substr(body, 2) WHERE session_id = 2 AND seq = 2`,
    faults: [{ kind: 'unreadable', session: 'a', seq: 2 }],
  },
  {
    name: 'an event taken out of the middle',
    sql: 'DELETE FROM events WHERE session_id = 2 AND seq = 2',
    faults: [{ kind: 'missing', session: 'a', from: 2, to: 2 }],
  },
  {
    name: 'the last events taken away',
    sql: 'DELETE FROM events WHERE session_id = 2 AND seq > 1',
    faults: [{ kind: 'missing', session: 'a', from: 2, to: 3 }],
  },
  {
    name: 'the first event taken away',
    sql: 'DELETE FROM events WHERE session_id = 2 AND seq = 1',
    faults: [
      { kind: 'missing', session: 'a', from: 1, to: 1 },
      { kind: 'head', session: 'a', detail: 'its summary has other times' },
    ],
  },
  {
    name: 'all events taken away',
    sql: 'DELETE FROM events WHERE session_id = 2',
    faults: [{ kind: 'missing', session: 'a', from: 1, to: 3 }],
  },
  {
    name: 'a whole session taken away',
    sql: 'DELETE FROM events WHERE session_id = 2; DELETE FROM sessions WHERE id = 2',
    faults: [{ kind: 'session-missing', session: 'a' }],
  },
  {
    name: 'two events that changed places',
    sql: `UPDATE events SET seq = 9 WHERE session_id = 2 AND seq = 1;
      UPDATE events SET seq = 1 WHERE session_id = 2 AND seq = 2; UPDATE events SET seq = 2 WHERE session_id = 2 AND seq = 9`,
    faults: [
      { kind: 'changed', session: 'a', seq: 1 },
      { kind: 'unlinked', session: 'a', seq: 1 },
      { kind: 'changed', session: 'a', seq: 2 },
      { kind: 'unlinked', session: 'a', seq: 2 },
      { kind: 'unlinked', session: 'a', seq: 3 },
      { kind: 'session-forged', session: 'a' },
    ],
  },
  {
    name: 'a renamed session',
    sql: `UPDATE sessions SET session = 'c' WHERE id = 3`,
    faults: [
      { kind: 'changed', session: 'c', seq: 1 },
      { kind: 'changed', session: 'c', seq: 2 },
      { kind: 'session-forged', session: 'c' },
      { kind: 'session-missing', session: 'b' },
    ],
  },
  {
    name: 'a summary taken away',
    sql: 'DELETE FROM sessions WHERE id = 3',
    faults: [
      { kind: 'changed', session: '(no session)', seq: 1 },
      { kind: 'changed', session: '(no session)', seq: 2 },
      { kind: 'head', session: '(no session)', detail: 'its summary is missing' },
      { kind: 'session-forged', session: '(no session)' },
      { kind: 'session-missing', session: 'b' },
    ],
  },
  {
    name: 'a summary that counts less',
    sql: 'UPDATE sessions SET events = 1 WHERE id = 3',
    faults: [{ kind: 'head', session: 'b', detail: 'its summary counts 1 events, but there are 2' }],
  },
  {
    name: 'a summary with another end',
    sql: `UPDATE sessions SET hash = '${HASH}' WHERE id = 3`,
    faults: [{ kind: 'head', session: 'b', detail: 'its summary names another last event' }],
  },
  {
    name: 'a summary with other times',
    sql: 'UPDATE sessions SET last_at = 1e15 WHERE id = 3',
    faults: [{ kind: 'head', session: 'b', detail: 'its summary has other times' }],
  },
  {
    name: 'a session that nobody opened',
    sql: `INSERT INTO sessions VALUES (9, 'forged', 0, 0, 0, '${HASH}')`,
    faults: [{ kind: 'session-forged', session: 'forged' }],
  },
  {
    name: "the guard's chain taken away",
    sql: 'DELETE FROM events WHERE session_id = 1; DELETE FROM sessions WHERE id = 1',
    faults: [
      { kind: 'session-forged', session: 'a' },
      { kind: 'session-forged', session: 'b' },
      { kind: 'store', detail: "the guard's own chain is missing" },
    ],
  },
  {
    name: 'a seq that no number holds',
    sql: 'UPDATE events SET seq = 9223372036854775807 WHERE session_id = 3 AND seq = 2',
    faults: [
      { kind: 'changed', session: 'b', seq: 9223372036854776e3 },
      { kind: 'missing', session: 'b', from: 2, to: 9223372036854776e3 },
      { kind: 'head', session: 'b', detail: 'its summary counts 2 events, but there are 9223372036854776000' },
    ],
  },
  {
    name: 'a table taken away',
    sql: 'DROP TABLE events',
    faults: [
      { kind: 'store', detail: 'no such table: events' },
      { kind: 'store', detail: "the guard's own chain is missing" },
    ],
  },
]

describe('verifyTrace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-verify-'))
  const path = join(folder, 'trace.db')
  const store = openSqliteStore({ path })
  const db = new DatabaseSync(path)
  beforeAll(async () => {
    // Tampering need not survive a power cut.
    db.exec('PRAGMA synchronous = OFF')
    for (const [session, seq] of [
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['a', 3],
      ['b', 2],
    ] as const)
      await store.append({
        session,
        type: 'HookDecision',
        at: 1e12 + seq,
        body: { decision: 'deny', text: `é\u0001 ${seq}` },
      })
  })
  afterAll(async () => {
    db.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })

  /** The report while the trace is tampered with; afterwards it is restored. */
  const reportAfter = async (tamper: () => void) => {
    const before = db.prepare('SELECT * FROM events').all()
    const heads = db.prepare('SELECT * FROM sessions').all()
    const schema = db.prepare(`SELECT sql FROM sqlite_schema WHERE tbl_name = 'events' AND sql IS NOT NULL`).all()
    try {
      tamper()
      return await verifyTrace(store)
    } finally {
      db.exec('BEGIN; DROP TABLE IF EXISTS events; DELETE FROM sessions')
      for (const { sql } of schema) db.exec(String(sql))
      for (const row of before)
        db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(...Object.values(row))
      for (const row of heads) db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)').run(...Object.values(row))
      db.exec('COMMIT')
    }
  }

  test.each(TAMPERINGS)('tells of $name', async ({ sql, faults }) => {
    expect((await reportAfter(() => db.exec(sql))).faults).toEqual(faults)
  })

  test('counts what it read, and gives the end of the chain of the guard', async () => {
    const guard = (await store.events({ session: 'guard', order: 'newest', limit: 1 })[Symbol.asyncIterator]().next())
      .value as { hash: string }
    expect(await verifyTrace(store)).toEqual({
      events: 7,
      sessions: 2,
      found: true,
      faults: [],
      more: 0,
      seals: { count: 0, after: 7 - 2 },
      head: { seq: 2, hash: guard.hash },
    })
  })

  test('lists 1,000 faults and counts the others', async () => {
    const entries = async function* () {
      for (let seq = 1; seq <= 1_500; seq++)
        yield { kind: 'event', session: 's', type: '', at: 0, body: '', seq, prevHash: '', hash: '' } as const
    }
    const { faults, more } = await verifyTrace({ audit: entries })
    expect(faults).toHaveLength(1_000)
    expect(more).toBe(504)
  })

  test('law: one character changed anywhere in what is kept is found', async () => {
    const cells = [
      ['events', 'n', ['type', 'body', 'prev_hash', 'hash']],
      ['sessions', 'id', ['session', 'hash']],
    ] as const
    const places = cells.flatMap(([table, key, columns]) =>
      db
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .flatMap((row) =>
          columns.map((column) => ({ table, key, id: row[key] as number, column, text: String(row[column]) })),
        ),
    )
    const tampering = fc.record({
      place: fc.nat(),
      index: fc.nat(),
      char: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(tampering, async ({ place, index, char }) => {
        const { table, key, id, column, text } = places[place % places.length] as (typeof places)[number]
        const where = index % (text.length + 1)
        const changed = text.slice(0, where) + char + text.slice(where + 1)
        // A lone surrogate becomes U+FFFD on its way into the database; that is a change too.
        if (changed.toWellFormed() === text) return
        const { faults } = await reportAfter(() => {
          db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(changed.toWellFormed(), id)
        })
        expect(faults).not.toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  test('law: any number changed is found', async () => {
    const cells = [
      ['events', 'n', ['session_id', 'seq', 'at']],
      ['sessions', 'id', ['id', 'events', 'first_at', 'last_at']],
    ] as const
    for (const [table, key, columns] of cells)
      for (const row of db.prepare(`SELECT * FROM ${table}`).all())
        for (const column of columns)
          for (const by of [-1, 17, 2 ** 40]) {
            const { faults } = await reportAfter(() => {
              db.prepare(`UPDATE ${table} SET ${column} = ? + ${column} WHERE ${key} = ?`).run(by, row[key] as number)
            }).catch(() => ({ faults: ['the index refused it'] }))
            expect(faults, `${table}.${column} of ${key} ${String(row[key])} by ${by}`).not.toEqual([])
          }
  })
})
