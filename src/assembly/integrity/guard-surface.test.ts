import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { guardSurface } from './guard-surface.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const place = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'surface-')))
  made.push(folder)
  mkdirSync(join(folder, 'data', 'installed'), { recursive: true })
  return folder
}

const surfaceOf = (folder: string) =>
  guardSurface({
    data: join(folder, 'data'),
    locations: { managed: join(folder, 'managed'), user: join(folder, 'user') },
    pid: 42,
    port: 4775,
  })

test('the folders, the process and the addresses are the guard', () => {
  const folder = place()
  const { paths, pids, addresses } = surfaceOf(folder)
  expect(paths).toEqual(expect.arrayContaining(['data', 'managed', 'user'].map((name) => join(folder, name))))
  expect(pids).toEqual([42])
  expect(addresses).toContain('127.0.0.1:4775')
})

test('settings with its hooks belong to the guard, under both their names; a broken note hides no other', () => {
  const folder = place()
  writeFileSync(join(folder, 'real.json'), '{}')
  symlinkSync('real.json', join(folder, 'settings.json'))
  writeFileSync(join(folder, 'data', 'installed', 'a.json'), '{"path":')
  writeFileSync(
    join(folder, 'data', 'installed', 'b.json'),
    JSON.stringify({ path: join(folder, 'settings.json'), before: null }),
  )
  const { paths } = surfaceOf(folder)
  expect(paths).toContain(join(folder, 'settings.json'))
  expect(paths).toContain(join(folder, 'real.json'))
})
