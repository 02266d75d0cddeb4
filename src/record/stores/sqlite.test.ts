import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { storeContract } from '../../../test/contracts/store.ts'
import { openSqliteStore } from './sqlite.ts'

storeContract('the SQLite store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-store-'))
  return {
    open: () => openSqliteStore({ path: join(folder, 'trace.db') }),
    volatile: false,
    discard: () => {
      rmSync(folder, { recursive: true })
    },
  }
})
