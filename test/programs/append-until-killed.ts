/** Program of src/record/stores/sqlite.test.ts: appends without end and prints each acknowledged event, until it is killed. */
import { writeSync } from 'node:fs'

import { openSqliteStore } from '../../src/record/stores/sqlite.ts'

const store = openSqliteStore({ path: process.argv[2] ?? '' })
const writeOn = async (session: string): Promise<never> => {
  for (let n = 0; ; n++) {
    const { seq, hash } = await store.append({ session, type: 'HookDecision', at: 1e12 + n, body: { n } })
    writeSync(1, `${session} ${seq} ${hash}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, async (_, n) => writeOn(`s${n}`)))
