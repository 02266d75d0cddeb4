import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOpenClaw } from '../scripts/openclaw-bundle.ts'
import { isObject } from '../src/protocol/json.ts'

const ASK = join(import.meta.dirname, 'programs', 'ask-bundled-guard.ts')

let place: string
let plugin: string
let metafile: Metafile

beforeAll(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-plugin-')))
  plugin = join(place, 'plugin')
  mkdirSync(plugin)
  metafile = await bundleOpenClaw(plugin)
})
afterAll(() => {
  rmSync(place, { recursive: true })
})

/** An output with all that it imports before it runs. */
const withImports = (output: string, seen: readonly string[] = []): readonly string[] =>
  (metafile.outputs[output]?.imports ?? [])
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .reduce<readonly string[]>(
      (all, { path }) => (all.includes(path) ? all : withImports(path, all)),
      [...seen, output],
    )

test('in a folder of its own, without any package beside it, the guard decides with all it has', () => {
  const env = { PATH: process.env['PATH'] ?? '' }
  const home = join(place, 'home')
  mkdirSync(home)
  const said = execFileSync(process.execPath, [ASK, plugin, home], { cwd: plugin, env, encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual({
    entries: ['sallyport', 'sallyport', 'sallyport'],
    evaluated: 3,
    destroys: 'deny',
    lists: 'allow',
    parsesSql: true,
    findsInjection: true,
    own: 'deny',
    faults: [],
    listeners: 0,
  })
})

test('the part that the host evaluates several times is small, and loads the guard', () => {
  const entry = Object.keys(metafile.outputs).find((output) => output.endsWith('dist/index.js')) ?? ''
  const files = withImports(entry)
  expect(files.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0)).toBeLessThan(250_000)
  expect(files.filter((file) => file.includes('open-guard'))).toEqual([])
  expect(metafile.outputs[entry]?.imports.filter(({ kind }) => kind === 'dynamic-import')).toHaveLength(1)
})

test('nothing but Node is imported, and least of all the host', () => {
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
  expect(outside.map(({ path }) => path).filter((path) => !isBuiltin(path))).toEqual([])
})

test('the manifests name what is there', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(plugin, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ openclaw: { extensions: ['./dist/index.js'] } })
  expect(isObject(manifest) ? manifest['files'] : []).toEqual(
    expect.arrayContaining(['dist', 'models', 'policies', 'LICENSE', 'THIRD-PARTY.txt', 'openclaw.plugin.json']),
  )
  expect(isObject(manifest) ? manifest['dependencies'] : {}).toBeUndefined()
})

test('the authors of its parts are named', () => {
  const notices = readFileSync(join(plugin, 'THIRD-PARTY.txt'), 'utf8')
  for (const name of ['@cedar-policy/cedar-wasm', 'libpg-query', 'zod', 'yaml', 'unbash'])
    expect(notices).toContain(`${name} `)
})
