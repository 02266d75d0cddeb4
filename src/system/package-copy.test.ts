import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyTree, packageParts } from './package-copy.ts'

const write = (path: string, text = 'x', mode = 0o600): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

const manifest = (version: string, dependencies: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ version, dependencies })

const rootOf = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'sp-copy-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  return root
}

test('dependencies are copied from any place, and each keeps its requested version', () => {
  const root = rootOf()
  const own = join(root, 'node_modules', 'sallyport')
  write(join(own, 'package.json'), manifest('1', { a: '1', b: '1' }))
  write(join(own, 'dist', 'cli.js'))
  write(join(own, 'dist', 'cli.test.ts'))
  write(join(own, '.env'))
  // Hoisted beside the package, as npm does it.
  write(join(root, 'node_modules', 'a', 'package.json'), manifest('1', { c: '1' }))
  write(join(root, 'node_modules', 'b', 'package.json'), manifest('1', { c: '2' }))
  write(join(root, 'node_modules', 'c', 'package.json'), manifest('1', { a: '1' }))
  write(join(root, 'node_modules', 'b', 'node_modules', 'c', 'package.json'), manifest('2'))
  const parts = packageParts(own, 'dist')
  expect(parts.map(({ to }) => to)).toEqual([
    'dist',
    'package.json',
    'node_modules/a',
    'node_modules/c',
    'node_modules/b',
    'node_modules/b/node_modules/c',
  ])
  const copy = join(root, 'copy')
  for (const { from, to } of parts) copyTree(from, join(copy, to))
  const versionAt = (path: string): unknown => JSON.parse(readFileSync(join(copy, path, 'package.json'), 'utf8'))
  expect(versionAt('node_modules/c')).toMatchObject({ version: '1' })
  expect(versionAt('node_modules/b/node_modules/c')).toMatchObject({ version: '2' })
  expect([existsSync(join(copy, '.env')), existsSync(join(copy, 'dist', 'cli.test.ts'))]).toEqual([false, false])
})

test('a dependency that is not installed is an error, not a guard that does not start', () => {
  const root = rootOf()
  write(join(root, 'package.json'), manifest('1', { 'not-there-at-all': '1' }))
  expect(() => packageParts(root, 'dist')).toThrow(/not-there-at-all, which .* depends on, is not installed/)
})

test('copies have rights of their own, and links are copied as what they lead to', () => {
  const root = rootOf()
  write(join(root, 'from', 'text'), 'x', 0o666)
  write(join(root, 'from', 'run'), 'x', 0o777)
  write(join(root, 'elsewhere'), 'theirs')
  symlinkSync(join(root, 'elsewhere'), join(root, 'from', 'link'))
  copyTree(join(root, 'from'), join(root, 'to'))
  const modeOf = (name: string): number => statSync(join(root, 'to', name)).mode & 0o777
  expect([modeOf('.'), modeOf('text'), modeOf('run')]).toEqual([0o755, 0o644, 0o755])
  writeFileSync(join(root, 'elsewhere'), 'changed')
  expect(readFileSync(join(root, 'to', 'link'), 'utf8')).toBe('theirs')
})
