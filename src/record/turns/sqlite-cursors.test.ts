import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteCursors } from './sqlite-cursors.ts'

test('cursors that another process has locked are not stored, which is reported, and are once it releases them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cursors-'))
  const path = join(folder, 'turns.db')
  const cursors = openSqliteCursors({ path, before: 0 })
  const other = new DatabaseSync(path)
  onTestFinished(() => {
    other.close()
    cursors.close()
    rmSync(folder, { recursive: true })
  })
  const one = { path: '/t/s.jsonl', session: { id: 's' }, agent: { id: 'main', role: 'main' }, ended: false } as const
  other.exec('BEGIN IMMEDIATE')
  expect(() => cursors.unread(one, 1)).toThrow(/locked/)
  expect(() => cursors.moved(one, { offset: 1, taken: 2, mark: 'm' })).toThrow(/locked/)
  expect([cursors.place(one), cursors.left()]).toEqual([undefined, []])
  other.exec('ROLLBACK')
  cursors.unread(one, 1)
  cursors.moved(one, { offset: 1, taken: 2, mark: 'm' })
  expect(cursors.place(one)).toEqual({ offset: 1, taken: 2, mark: 'm' })
  expect(cursors.left()).toMatchObject([{ path: '/t/s.jsonl', ended: false }])
})
