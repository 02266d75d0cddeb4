import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'

const SOURCE = readFileSync(join(import.meta.dirname, 'main.ts'), 'utf8')

test('a Node that is too old gets one line with the required version, and loads nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-main-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  // Alone in a folder, without the modules that it would load besides Node's own.
  writeFileSync(join(folder, 'main.mjs'), stripTypeScriptTypes(SOURCE))
  writeFileSync(
    join(folder, 'old.mjs'),
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })",
  )
  const run = spawnSync(process.execPath, ['--import', join(folder, 'old.mjs'), join(folder, 'main.mjs'), 'doctor'], {
    encoding: 'utf8',
  })
  expect([run.status, run.stdout, run.stderr.split('\n').length]).toEqual([2, '', 2])
  expect(run.stderr).toMatch(/^sallyport: it needs Node 24 or newer, and this is Node 20\.19\.0/)
})

test('the oldest supported Node is the one of the manifest', () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  expect(manifest.engines.node).toBe(`>=${/NEEDED = (\d+)/.exec(SOURCE)?.[1] ?? ''}`)
})
