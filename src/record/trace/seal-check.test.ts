import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { GENESIS, hashRow } from '../chain/chain.ts'
import { openKeyedSeals } from '../seals/authenticate.ts'
import { beginKeyFile, readKeyFile, writeKeyFile } from '../seals/key-file.ts'
import { authenticationCode, firstKey, keyAt, nextKey, readKey, writeKey, type SealKey } from '../seals/seal-keys.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import type { AuditableStore, SealedEnd } from '../stores/store.ts'
import { verifyTrace } from './verify.ts'

const FIRST = firstKey(new Uint8Array(32).fill(7))

let folder: string
let path: string
let keyFile: string
let store: AuditableStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-seals-'))
  path = join(folder, 'trace.db')
  keyFile = join(folder, 'seal.key')
  store = openSqliteStore({ path, durability: 'process' })
  beginKeyFile(keyFile, FIRST)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

let clock = 0
const append = (session: string) =>
  store.append({ session, type: 'HookDecision', at: ++clock, body: { session, at: clock, decision: 'deny' } })
const seal = async (): Promise<void> => {
  const keyed = openKeyedSeals(keyFile)
  if ((await store.seal(++clock, keyed?.authenticate)) > 0) keyed?.evolve()
}
const faults = async (keys: { readonly first: SealKey; readonly current: SealKey | undefined } | undefined) =>
  (await verifyTrace(store, keys === undefined ? {} : { sealKeys: keys })).faults.map(({ kind }) => kind)
const withKey = () => ({ first: FIRST, current: readKeyFile(keyFile) })

/** Three sessions, sealed after each round. */
const played = async (rounds: number): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    for (const session of ['a', 'b', `c${round}`]) {
      await append(session)
      await append(session)
    }
    await seal()
  }
}

interface EventRow {
  readonly id: number
  readonly session: string
  readonly seq: number
  type: string
  at: number
  body: string
}

/** An attacker with write access to every file and all keys that still exist, on a copy of all events. */
type Attack = (events: EventRow[]) => EventRow[]

/**
 * Performs an attack as well as possible: chains every event anew, corrects the summaries and the guard's chain, and
 * gives each seal the best code that the available key can make.
 */
const carryOut = (attack: Attack, key: SealKey | undefined): void => {
  const db = new DatabaseSync(path)
  const rows = attack(
    db
      .prepare(
        'SELECT e.session_id AS id, s.session, e.seq, e.type, e.at, e.body FROM events e JOIN sessions s ON s.id = e.session_id ORDER BY e.n',
      )
      .all() as unknown as EventRow[],
  )
  const chained = new Map<string, { row: EventRow; seq: number; prevHash: string; hash: string }[]>()
  const chain = (row: EventRow): void => {
    const own = chained.get(row.session) ?? []
    const seq = own.length + 1
    const prevHash = own.at(-1)?.hash ?? GENESIS
    own.push({ row, seq, prevHash, hash: hashRow({ ...row, seq, prevHash }) })
    chained.set(row.session, own)
  }
  for (const row of rows) if (row.session !== 'guard') chain(row)
  for (const row of rows.filter(({ session }) => session === 'guard')) {
    const body = JSON.parse(row.body) as JsonObject
    const ofSession = (name: string) => chained.get(name) ?? []
    if (row.type === 'SessionOpened') {
      const [first] = ofSession(body['session'] as string)
      if (first === undefined) continue
      row.body = canonicalJson({ ...body, hash: first.hash })
    } else if (row.type === 'ChainsSealed') {
      const sessions = (body['sessions'] as unknown as readonly SealedEnd[]).flatMap(({ session, events }) => {
        const own = ofSession(session)
        const end = own[Math.min(events, own.length) - 1]
        return end === undefined ? [] : [{ session, events: end.seq, hash: end.hash }]
      })
      const proof = body['proof'] as { key: string; index: number; code: string } | undefined
      const guard = ofSession('guard')
      const draft = {
        number: Number(body['number']),
        sessions,
        seq: guard.length + 1,
        prevHash: guard.at(-1)?.hash ?? GENESIS,
      }
      const at = proof === undefined || key === undefined ? undefined : keyAt(key, proof.index)
      const proven = proof === undefined || at === undefined ? proof : { ...proof, code: authenticationCode(at, draft) }
      row.body = canonicalJson({
        ...body,
        sessions: sessions.map((one) => ({ ...one })),
        ...(proven ? { proof: proven } : {}),
      })
    }
    chain(row)
  }
  db.exec('DELETE FROM events; DELETE FROM sessions WHERE id > 1')
  for (const [session, own] of chained) {
    const id = own[0]?.row.id ?? 1
    const times = own.map(({ row }) => row.at)
    db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)').run(
      id,
      session,
      own.length,
      Math.min(...times),
      Math.max(...times),
      own.at(-1)?.hash ?? GENESIS,
    )
    for (const { row, seq, prevHash, hash } of own)
      db.prepare(
        'INSERT INTO events (session_id, seq, type, at, body, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ).run(id, seq, row.type, row.at, row.body, prevHash, hash)
  }
  db.close()
}

const isOf = (session: string) => (row: EventRow) => row.session === session

const ATTACKS: readonly { readonly name: string; readonly attack: Attack }[] = [
  {
    name: 'one decision rewritten',
    attack: (rows) =>
      rows.map((row) =>
        row.session === 'a' && row.seq === 2 ? { ...row, body: row.body.replace('deny', 'allow') } : row,
      ),
  },
  { name: 'the end of a session cut', attack: (rows) => rows.filter((row) => !(row.session === 'a' && row.seq > 3)) },
  { name: 'a session taken out', attack: (rows) => rows.filter((row) => row.session !== 'c0') },
  {
    name: 'a session put in, in the past',
    attack: (rows) => {
      const [first] = rows.filter(isOf('c0'))
      const opened = rows.find(({ type, body }) => type === 'SessionOpened' && body.includes('"c0"'))
      if (first === undefined || opened === undefined) return rows
      return [
        { ...opened, body: canonicalJson({ session: 'x', hash: '' }) },
        { ...first, id: 99, session: 'x', seq: 1 },
        ...rows,
      ]
    },
  },
  {
    name: 'an event of the guard rewritten',
    attack: (rows) => rows.map((row) => (row.session === 'guard' && row.seq === 1 ? { ...row, at: row.at + 1 } : row)),
  },
  {
    name: 'the whole trace written anew, from its second event',
    attack: (rows) => rows.map((row) => (row.session === 'guard' ? row : { ...row, at: row.at + 1 })),
  },
]

describe('against somebody who may write every file', () => {
  test.each(ATTACKS)('$name: the chain alone does not show it, the seals do', async ({ attack }) => {
    await played(3)
    const current = readKeyFile(keyFile)
    expect(await faults(withKey())).toEqual([])
    carryOut(attack, current)
    expect(await faults(undefined)).toEqual([])
    expect(await faults(withKey())).toContain('seal-forged')
  })

  test('the last seals taken away with what they cover', async () => {
    await played(3)
    carryOut((rows) => {
      const from = rows.findIndex(({ type, body }) => type === 'ChainsSealed' && JSON.parse(body).number === 2)
      return rows.slice(0, from)
    }, readKeyFile(keyFile))
    expect(await faults(undefined)).toEqual([])
    expect(await faults(withKey())).toEqual(['seal-key'])
  })

  test('the key file taken away, or begun anew', async () => {
    await played(2)
    expect(await faults({ first: FIRST, current: undefined })).toEqual(['seal-key'])
    beginKeyFile(keyFile, firstKey(new Uint8Array(32).fill(8)))
    expect(await faults(withKey())).toEqual(['seal-key'])
  })

  test('law: nothing before the last seal can be changed, whatever is changed', async () => {
    await played(3)
    const current = readKeyFile(keyFile)
    const before = await collect()
    const sealed = before.filter(({ session }) => session !== 'guard').length
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: sealed - 1 }), fc.boolean(), async (at, takeOut) => {
        restore(before)
        // With the first key everything can be recreated: the harness is as good as an attacker with all keys.
        expect(await faults({ first: FIRST, current })).toEqual([])
        let seen = -1
        carryOut(
          (rows) =>
            rows.flatMap((row) => {
              if (row.session === 'guard' || ++seen !== at) return [row]
              return takeOut ? [] : [{ ...row, body: canonicalJson({ changed: true }) }]
            }),
          current,
        )
        expect(await faults({ first: FIRST, current })).not.toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

const collect = async (): Promise<readonly EventRow[]> => {
  const db = new DatabaseSync(path)
  const rows = db
    .prepare(
      'SELECT e.session_id AS id, s.session, e.seq, e.type, e.at, e.body FROM events e JOIN sessions s ON s.id = e.session_id ORDER BY e.n',
    )
    .all() as unknown as EventRow[]
  db.close()
  return rows.map((row) => ({ ...row }))
}
const restore = (rows: readonly EventRow[]): void => {
  carryOut(() => rows.map((row) => ({ ...row })), FIRST)
}

describe('without a verification key', () => {
  test('a tail that was cut with its summary is found, while the guard’s chain stands', async () => {
    await played(2)
    await store.close()
    const db = new DatabaseSync(path)
    db.exec(`DELETE FROM events WHERE session_id = 2 AND seq > 2;
      UPDATE sessions SET events = 2, last_at = (SELECT max(at) FROM events WHERE session_id = 2),
        hash = (SELECT hash FROM events WHERE session_id = 2 AND seq = 2) WHERE id = 2`)
    db.close()
    store = openSqliteStore({ path, durability: 'process' })
    expect((await verifyTrace(store)).faults).toEqual([{ kind: 'cut', session: 'a', sealed: 4, events: 2 }])
  })

  test('a tail that was cut with its seals is found by the number of the next key alone', async () => {
    await played(3)
    await store.close()
    const db = new DatabaseSync(path)
    db.exec(`DELETE FROM events WHERE n > 8;
      DELETE FROM sessions WHERE id NOT IN (SELECT session_id FROM events);
      UPDATE sessions SET events = (SELECT max(seq) FROM events WHERE session_id = sessions.id),
        last_at = (SELECT max(at) FROM events WHERE session_id = sessions.id),
        hash = (SELECT hash FROM events WHERE session_id = sessions.id ORDER BY seq DESC LIMIT 1)`)
    db.close()
    store = openSqliteStore({ path, durability: 'process' })
    expect((await verifyTrace(store, { nextSealKey: readKeyFile(keyFile) })).faults).toContainEqual({
      kind: 'seal-key',
      detail: expect.stringMatching(/^[1-3] seals at the end are missing: the tail was cut$/),
    })
  })

  test('a trace that was not cut has every seal that the key has made', async () => {
    await played(3)
    expect((await verifyTrace(store, { nextSealKey: readKeyFile(keyFile) })).faults).toEqual([])
  })

  test('a report says what is sealed and what came after', async () => {
    await played(2)
    await append('a')
    expect((await verifyTrace(store)).seals).toMatchObject({ count: 2, after: 1 })
    expect((await verifyTrace(store, { sealKeys: withKey() })).seals).toMatchObject({ proven: 2 })
  })

  test('what retention removed is not missed, and what begins anew is sealed anew', async () => {
    await played(2)
    const last = await append('late')
    await store.removeBefore(last.at, last.at + 1)
    await seal()
    await append('a')
    await seal()
    expect(await faults(withKey())).toEqual([])
  })
})

describe('the file of the key', () => {
  test('a key is destroyed once it has sealed', async () => {
    await played(1)
    const key = readKeyFile(keyFile)
    expect(key?.index).toBe(2)
    expect(key?.secret).toEqual(Buffer.from(nextKey(FIRST).secret))
    expect(key === undefined ? undefined : keyAt(key, 1)).toBeUndefined()
  })

  test('a guard that was killed before it could destroy a key goes on behind its seal', async () => {
    await played(1)
    const keyed = openKeyedSeals(keyFile)
    await append('a')
    await store.seal(++clock, keyed?.authenticate)
    // Here it was killed: `evolve` did not run.
    await append('a')
    await seal()
    expect(await faults(withKey())).toEqual([])
    expect(readKeyFile(keyFile)?.index).toBe(4)
  })

  test('an older key never takes the place of a newer one', () => {
    writeKeyFile(keyFile, nextKey(nextKey(FIRST)))
    writeKeyFile(keyFile, nextKey(FIRST))
    expect(readKeyFile(keyFile)?.index).toBe(3)
  })

  test('a forged seal with a far index does not hold the next one up', async () => {
    await played(1)
    await store.append({
      session: 'guard',
      type: 'ChainsSealed',
      at: ++clock,
      body: { number: 2, sessions: [], proof: { key: FIRST.id, index: Number.MAX_SAFE_INTEGER, code: '' } },
    })
    await append('a')
    await seal()
    expect(await faults(withKey())).toContain('seal-forged')
  })

  test('the verification key reads back, and nothing else does', () => {
    expect(readKey(`${writeKey(FIRST)}\n`)).toEqual({ ...FIRST, secret: Buffer.from(FIRST.secret) })
    for (const text of ['', 'sallyport-seal-key:', `${writeKey(FIRST)}x`]) expect(readKey(text)).toBeUndefined()
  })
})
