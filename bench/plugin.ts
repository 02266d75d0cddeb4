import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bundleOpenClaw, BUNDLED } from '../scripts/openclaw-bundle.ts'
import { quantile, rounded } from './bench.ts'
import type { Bench } from './bench.ts'

/** What `load-plugin.ts` prints: milliseconds of processor time, and bytes for `rss`. */
interface Loaded {
  readonly entries: readonly number[]
  readonly load: number
  readonly open: number
  readonly first: number
  readonly rss: number
}

const PROGRAM = join(import.meta.dirname, 'load-plugin.ts')
/** The host makes a copy of the plugin for each way it loads it. */
const COPIES = 8
const PROCESSES = 7

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

const copiesOf = (plugin: string, place: string): readonly string[] =>
  Array.from({ length: COPIES }, (_, n) => {
    const copy = join(place, `copy-${n}`)
    cpSync(plugin, copy, { recursive: true })
    return copy
  })

const loadAll = async (place: string, copies: readonly string[]): Promise<readonly Loaded[]> => {
  const runs: Loaded[] = []
  for (let n = 0; n < PROCESSES; n++) {
    const home = join(place, `home-${n}`)
    mkdirSync(home)
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, home, ...copies])
    runs.push(JSON.parse(stdout) as Loaded)
  }
  return runs
}

/** The same code as one file, its data left out: the least that evaluating one file would take each time. */
const oneFile = async (place: string, copies: readonly string[]): Promise<readonly number[]> => {
  for (const copy of copies)
    await build({ ...BUNDLED, splitting: false, outdir: join(copy, 'dist'), entryNames: 'one', metafile: false })
  const script = `const ms = []
    for (const copy of process.argv.slice(1)) {
      const began = process.cpuUsage()
      await import(copy + '/dist/one.js')
      const { user, system } = process.cpuUsage(began)
      ms.push((user + system) / 1000)
    }
    console.log(JSON.stringify(ms))`
  const args = ['--input-type=module', '-e', script, ...copies]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: place })
  return JSON.parse(stdout) as readonly number[]
}

/** The size of the OpenClaw plugin, and the cost of loading it (docs/hosts/openclaw.md). */
export const plugin: Bench = async () => {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-bench-plugin-'))
  try {
    const folder = join(place, 'plugin')
    mkdirSync(folder)
    const { outputs } = await bundleOpenClaw(folder)
    const copies = copiesOf(folder, place)
    const runs = await loadAll(place, copies)
    const half = (pick: (run: Loaded) => number): number => rounded(quantile(runs.map(pick), 0.5))
    const bytes = Object.entries(outputs).map(([path, output]) => ({ path, bytes: output.bytes }))
    const codeOf = (wanted: boolean): number =>
      bytes.filter(({ path }) => /open-guard|wasm-/.test(path) === wanted).reduce((sum, one) => sum + one.bytes, 0)
    const figures = {
      entry_kb: rounded(codeOf(false) / 1_000),
      guard_kb: rounded(codeOf(true) / 1_000),
      package_mb: rounded(sizeOf(folder) / 1e6),
      entry_first_ms: half(({ entries }) => entries[0] ?? Number.NaN),
      entry_again_ms: half(({ entries }) => quantile(entries.slice(1), 0.5)),
      guard_load_ms: half(({ load }) => load),
      guard_open_ms: half(({ open }) => open),
      first_verdict_ms: half(({ first }) => first),
      guard_rss_mb: half(({ rss }) => rss / 1e6),
      one_file_again_ms: rounded(quantile((await oneFile(place, copies)).slice(1), 0.5)),
    }
    return { figures, goals: [{ figure: 'entry_again_ms', op: '<=', value: 15 }] }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
