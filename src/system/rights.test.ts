import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { executableByAll, writableBy, writableWithin } from './rights.ts'

const ME = [process.getuid?.() ?? 0]

/** A folder with one file, below folders that only their owner may write. */
const tree = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sp-rights-')))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const folder = join(root, 'folder')
  const file = join(folder, 'file')
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(root, 0o755)
  writeFileSync(file, 'x', { mode: 0o644 })
  return { root, folder, file }
}

test('what only its owner may write is sound, also below a sticky folder such as /tmp', () => {
  const { root, file } = tree()
  expect(writableBy(file, ME)).toBeUndefined()
  expect(writableWithin(root, ME)).toBeUndefined()
})

test.each([
  { name: 'the file', pick: 'file', mode: 0o646 },
  { name: 'its folder', pick: 'folder', mode: 0o775 },
  { name: 'a folder further up', pick: 'root', mode: 0o757 },
] as const)('a right to write for others is found: $name', ({ pick, mode }) => {
  const places = tree()
  chmodSync(places[pick], mode)
  expect(writableBy(places.file, ME)).toEqual({ path: places[pick], why: `its mode is 0${mode.toString(8)}` })
})

test.each([
  { name: 'everybody', modes: {}, can: true },
  { name: 'not where the file cannot be executed', modes: { file: 0o644 }, can: false },
  { name: 'not where a folder further up cannot be entered', modes: { root: 0o700 }, can: false },
] as const)('who can execute a program: $name', ({ modes, can }) => {
  const places = tree()
  for (const [place, mode] of Object.entries({ file: 0o755, ...modes }))
    chmodSync(places[place as 'file' | 'root'], mode)
  const link = join(tmpdir(), `sp-rights-link-${process.pid}`)
  symlinkSync(places.file, link)
  onTestFinished(() => rmSync(link))
  expect([executableByAll(places.file), executableByAll(link)]).toEqual([can, can])
  expect(executableByAll(join(places.root, 'absent'))).toBe(false)
})

test('what belongs to another user is found', () => {
  const { file } = tree()
  // Only root can transfer a file; for other users their own file already has another owner than root.
  if (process.getuid?.() === 0) chownSync(file, 12_345, 12_345)
  expect(writableBy(file)?.why).toMatch(/^user \d+ owns it$/)
})

test('a link is judged by where it leads as well', () => {
  const { root, folder, file } = tree()
  const link = join(root, 'link')
  symlinkSync(file, link)
  expect(writableBy(link, ME)).toBeUndefined()
  chmodSync(folder, 0o777)
  expect(writableBy(link, ME)?.path).toBe(folder)
})

test('a sticky folder that is itself the path lets others add to it', () => {
  const { folder } = tree()
  chmodSync(folder, 0o1777)
  expect(writableWithin(folder, ME)?.path).toBe(folder)
})

test('a file deep inside is found', () => {
  const { root, file } = tree()
  chmodSync(file, 0o666)
  expect(writableWithin(root, ME)).toEqual({ path: file, why: 'its mode is 0666' })
})

test('what is not there is judged by the folders above it', () => {
  const { folder } = tree()
  expect(writableBy(join(folder, 'new'), ME)).toBeUndefined()
  chmodSync(folder, 0o777)
  expect(writableBy(join(folder, 'new'), ME)?.path).toBe(folder)
})
