import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { createWalSync } from './sqlite-sync.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-sync-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

test('flushes the log beside the database, again and again', async () => {
  const path = join(folder, 'trace.db')
  writeFileSync(`${path}-wal`, 'x')
  const disk = createWalSync(path)
  await disk.sync()
  await disk.sync()
  disk.close()
  disk.close()
})

test('rejects without a log: such an append is not stored', async () => {
  await expect(createWalSync(join(folder, 'none.db')).sync()).rejects.toMatchObject({ code: 'ENOENT' })
})
