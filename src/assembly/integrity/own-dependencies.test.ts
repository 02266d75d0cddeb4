import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dependencyFolders } from './own-dependencies.ts'

test('the packages that run in the guard are found where Node loads them from', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-packages-')))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const put = (path: string, dependencies: Record<string, string>, peerDependencies = {}): void => {
    const folder = join(root, 'node_modules', path)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies, peerDependencies }))
  }
  put(
    'guard',
    { yaml: '1', pino: '1', absent: '1' },
    {
      runtime: '1',
      'another-runtime': '1',
      openclaw: '1',
    },
  )
  put('openclaw', {})
  put('runtime', {}, { others: '1' })
  put('yaml', {})
  put('guard/node_modules/pino', { inner: '1' })
  put('inner', { yaml: '1' })
  put('others', {})
  const below = (name: string): string => join(root, 'node_modules', name)
  expect(dependencyFolders(below('guard'))).toEqual([
    below('guard/node_modules/pino'),
    below('inner'),
    below('runtime'),
    below('yaml'),
  ])
})
