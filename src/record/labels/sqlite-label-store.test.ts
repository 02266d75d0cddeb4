import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { labelStoreContract } from '../../../test/contracts/label-store.ts'
import type { Fact } from '../../evidence/labels/facts.ts'
import { GUARD_OWNER } from '../../evidence/labels/label-store.ts'
import { createSeal } from './seal.ts'
import { openSqliteLabelStore } from './sqlite-label-store.ts'

const KEY = new Uint8Array(32).fill(9)
const read = (source: string): readonly Fact[] => [{ fact: 'read', source }]

/** Changes one bit of every row of an owner. */
const flip = (path: string, owner: string): void => {
  const db = new DatabaseSync(path)
  const name = createSeal(KEY).nameOf(owner)
  const rows = db
    .prepare('SELECT owner_id, seq, sealed FROM facts WHERE owner_id = (SELECT id FROM owners WHERE owner = ?)')
    .all(name) as unknown as readonly { owner_id: number; seq: number; sealed: Uint8Array }[]
  for (const { owner_id: id, seq, sealed } of rows) {
    sealed[20] = (sealed[20] ?? 0) ^ 1
    db.prepare('UPDATE facts SET sealed = ? WHERE owner_id = ? AND seq = ?').run(sealed, id, seq)
  }
  db.close()
}

labelStoreContract('the label store in SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-labels-'))
  const path = join(folder, 'labels.db')
  return {
    open: (limits) => openSqliteLabelStore({ path, key: KEY, ...(limits === undefined ? {} : { limits }) }),
    spoil: (owner) => {
      flip(path, owner)
    },
    discard: () => {
      rmSync(folder, { recursive: true })
    },
  }
})

describe('the file of labels', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-labels-'))
    path = join(folder, 'data', 'labels.db')
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })
  const open = (key = KEY) => openSqliteLabelStore({ path, key })
  const filled = async (): Promise<void> => {
    const store = open()
    await store.put([
      { owner: 'session s', how: 'add', facts: read('web hooks.example/T0/secret-corner') },
      { owner: GUARD_OWNER, how: 'add', facts: [{ fact: 'marked', marks: ['m'] }] },
    ])
    await store.close()
  }

  test('rows of another guard are stale here until they are read, and nothing replaces them before', async () => {
    const [first, second] = [open(), open()]
    for (const store of [first, second]) expect(store.get('o')).toEqual({ outcome: 'none' })
    expect([first.isStale('o'), second.isStale('o')]).toEqual([false, false])
    await first.put([{ owner: 'o', how: 'add', facts: read('of the first') }])
    expect([first.isStale('o'), second.isStale('o')]).toEqual([false, true])
    await second.put([{ owner: 'o', how: 'add', facts: read('of the second') }])
    await second.put([{ owner: 'o', how: 'replace', facts: read('all that the second knows') }])
    expect([first.isStale('o'), second.isStale('o')]).toEqual([true, true])
    const all = [...read('of the first'), ...read('of the second'), ...read('all that the second knows')]
    expect(second.get('o')).toMatchObject({ facts: all })
    await first.put([{ owner: 'p', how: 'add', facts: read('of another owner') }])
    expect(second.isStale('o')).toBe(false)
    await second.put([{ owner: 'o', how: 'replace', facts: read('all of it') }])
    expect(first.get('o')).toMatchObject({ facts: read('all of it') })
    await Promise.all([first.close(), second.close()])
  })

  test('only the owner may read it, and nothing in it is in clear', async () => {
    const store = open()
    await store.put([{ owner: 'session s', how: 'add', facts: read('web hooks.example/T0/secret-corner') }])
    const files = [path, `${path}-wal`, `${path}-shm`]
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
    for (const file of files) expect(readFileSync(file, 'latin1')).not.toMatch(/secret-corner|session s|hooks/)
    await store.close()
  })

  test.each<{ readonly name: string; readonly spoil: () => void; readonly key?: Uint8Array<ArrayBuffer> }>([
    { name: 'is not a database', spoil: () => writeFileSync(path, 'x'.repeat(8_192)) },
    { name: 'is of another key', spoil: () => undefined, key: new Uint8Array(32).fill(1) },
    {
      name: 'is of a newer version',
      spoil: () => {
        const db = new DatabaseSync(path)
        db.exec('PRAGMA user_version = 99')
        db.close()
      },
    },
  ])('one that $name is set aside, and missing owners do not count as new', async ({ spoil, key }) => {
    await filled()
    spoil()
    const store = open(key)
    expect(existsSync(`${path}.unreadable`)).toBe(true)
    expect(store.get('session s')).toEqual({ outcome: 'forgotten', certain: false })
    expect(store.get(GUARD_OWNER).outcome).toBe('unreadable')
    await store.put([{ owner: 'session new', how: 'replace', facts: read('x') }])
    expect(store.get('session new').outcome).toBe('kept')
    await store.close()
  })

  test('a moved row, and a missing one, are detected', async () => {
    const store = open()
    for (const source of ['1', '2', '3']) await store.put([{ owner: 'a', how: 'add', facts: read(source) }])
    await store.close()
    const db = new DatabaseSync(path)
    db.exec('UPDATE facts SET seq = seq + 10; UPDATE facts SET seq = 14 - seq')
    db.close()
    const swapped = open()
    expect(swapped.get('a').outcome).toBe('unreadable')
    await swapped.close()
    const again = new DatabaseSync(path)
    again.exec('DELETE FROM facts WHERE seq = 3')
    again.close()
    const cut = open()
    expect(cut.get('a')).toEqual({ outcome: 'unreadable', why: 'rows are missing' })
    await cut.close()
  })

  test('a change that cannot be written is reported, and the next one is stored', async () => {
    const store = openSqliteLabelStore({ path, key: KEY, busyMs: 10 })
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const change = { owner: 'a', how: 'add', facts: read('1') } as const
    await expect(store.put([change])).rejects.toMatchObject({ code: 'SP_LABELS_UNAVAILABLE' })
    other.exec('ROLLBACK')
    other.close()
    await store.put([change])
    expect(store.get('a')).toMatchObject({ outcome: 'kept', facts: read('1') })
    await store.close()
    await expect(store.put([change])).rejects.toMatchObject({ code: 'SP_LABELS_UNAVAILABLE' })
  })
})
