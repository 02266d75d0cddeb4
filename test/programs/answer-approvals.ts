/** Program of src/record/approvals/answering.test.ts: answers every approval as NAME, and prints of each who has won it. */
import { writeSync } from 'node:fs'

import { createAnswering } from '../../src/record/approvals/answering.ts'
import { createOutbox } from '../../src/record/approvals/outbox.ts'
import { openSqliteApprovalStore } from '../../src/record/approvals/sqlite.ts'
import { keyListOf, makeSigner } from '../support/signing.ts'

const [path = '', name = '', ...ids] = process.argv.slice(2)
const tell = (id: string, winner: string): void => {
  writeSync(1, `${id} ${winner}\n`)
}
const signer = makeSigner()
const keys = keyListOf(signer)
const store = openSqliteApprovalStore({ path })
const answering = createAnswering({
  store,
  outbox: createOutbox(store, async () => {}),
  mask: (value) => ({ value, masked: [] }),
  now: () => 1_700_000_000_000,
  keys: () => keys,
  limits: () => ({ expireMinutes: 60, maxGrantMinutes: 60 }),
})
for (const id of ids)
  try {
    const signed = signer.sign(answering.propose(id, { by: name, reason: '' }))
    await answering.answer(id, { answer: 'approve', signed })
    tell(id, name)
  } catch (error) {
    tell(id, /by (\w+) at/.exec(error instanceof Error ? error.message : '')?.[1] ?? 'nobody')
  }
store.close()
