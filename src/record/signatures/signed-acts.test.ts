import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileState, NO_SIGNED_ACTS } from './signed-acts.ts'

test('the state of a file is its content, or its absence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-acts-'))
  const path = join(folder, 'a')
  expect(fileState(path)).toEqual({ path, sha256: null })
  writeFileSync(path, '')
  expect(fileState(join(folder, 'b', '..', 'a'))).toEqual({
    path,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  expect(() => fileState('a')).toThrow('not absolute')
  expect(() => fileState(folder)).toThrow('EISDIR')
  expect(NO_SIGNED_ACTS.accepted(fileState(path))).toBe(false)
  expect(NO_SIGNED_ACTS.canSign()).toBe(false)
  rmSync(folder, { recursive: true })
})
