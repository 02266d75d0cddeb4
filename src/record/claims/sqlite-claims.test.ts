import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Claim } from './claims.ts'
import { openSqliteClaims } from './sqlite-claims.ts'

const CLAIMS: readonly Claim[] = [
  {
    session: 'bound',
    host: 'h',
    process: { pid: 7, started: '99', boot: 'b' },
    loose: true,
    nested: true,
    ended: false,
  },
  { session: 'unbound', host: 'h', loose: false, nested: false, ended: true },
]

test('claims outlive the guard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sp-claims-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const open = () => openSqliteClaims(join(folder, 'claims.db'))
  const before = open()
  for (const claim of CLAIMS) before.put(claim, 1)
  before.close()
  const after = open()
  expect(CLAIMS.map(({ session }) => after.get(session))).toEqual(CLAIMS)
  expect(after.isClaimant({ pid: 7, started: '99', boot: 'b' })).toBe(true)
  expect(after.isClaimant({ pid: 7, started: '98', boot: 'b' })).toBe(false)
  expect(after.get('none')).toBeUndefined()
  after.close()
})
