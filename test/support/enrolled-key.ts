import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sealedPath } from '../../src/cli/signing/sign-statement.ts'
import { dataFiles } from '../../src/config/data-folder.ts'
import { openKeyring } from '../../src/record/signatures/keyring.ts'
import { makeSealedKey, signWithPassphrase } from '../../src/record/signatures/sealed-key.ts'
import type { Signed } from '../../src/record/signatures/signed.ts'
import { KEY_GENESIS } from '../../src/record/signatures/key-list.ts'
import { makeNonce } from '../../src/record/signatures/statement.ts'
import type { Statement } from '../../src/record/signatures/statement.ts'

/** The passphrase of keys that are enrolled here. */
export const PASSPHRASE = ['correct', 'horse', 'battery'].join(' ')

/** A key that is enrolled, and the id of its guard. */
export interface EnrolledKey {
  readonly guard: string
  sign<T extends Statement>(statement: T): Promise<Signed<T>>
}

/** A key in a data folder, as `sallyport keys add passphrase` leaves one, but cheap to open. */
export const enrolKey = async (data: string, name = 'laptop'): Promise<EnrolledKey> => {
  const { key, sealed } = await makeSealedKey(name, PASSPHRASE, 2 ** 10)
  const sign = async <T extends Statement>(statement: T): Promise<Signed<T>> => {
    const signature = await signWithPassphrase(sealed, PASSPHRASE, statement)
    if (signature === undefined) throw new Error('not signed')
    return { statement, signature }
  }
  const path = sealedPath(data, key.id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify(sealed), { mode: 0o600 })
  const { guard } = openKeyring({ path: dataFiles(data).keys }).append(
    await sign({
      act: 'enrol-key',
      guard: makeNonce(),
      nonce: makeNonce(),
      at: Date.now(),
      by: 'ada',
      reason: '',
      key,
      prev: KEY_GENESIS,
    }),
  )
  return { guard, sign }
}
