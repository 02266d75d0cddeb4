/**
 * Loads copies of the bundled plugin of OpenClaw one after the other, as the host does, then opens the guard of the last
 * and asks it once; prints how many milliseconds of processor time each took. Arguments: a home, the copies.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type * as OpenGuardModule from '../src/assembly/open-guard.ts'
import { FULL_POWER } from '../src/core/host-power.ts'
import { called } from '../test/support/called.ts'

const [home = '', ...copies] = process.argv.slice(2)
const took = async <T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> => {
  const began = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(began)
  return { ms: (user + system) / 1_000, result }
}
const load = (copy: string, file: string): Promise<unknown> => import(pathToFileURL(join(copy, 'dist', file)).href)
const fail = (problem: unknown): never => {
  throw new Error(JSON.stringify(problem), { cause: problem })
}

const entries: number[] = []
for (const copy of copies) entries.push((await took(() => load(copy, 'index.js'))).ms)
const last = copies.at(-1) ?? fail('no copy')
const guardFile = readdirSync(join(last, 'dist')).find((name) => name.startsWith('open-guard-')) ?? fail('no guard')
const loaded = await took(() => load(last, guardFile))
const { openGuard } = loaded.result as typeof OpenGuardModule
const before = process.memoryUsage.rss()
const opened = await took(() => openGuard({ data: join(home, 'data'), env: {}, home, warn: fail, fault: fail }))
const first = await took(() => opened.result.judge(called('s', 'git status --short'), FULL_POWER))
const rss = process.memoryUsage.rss() - before
await opened.result.close()
process.stdout.write(JSON.stringify({ entries, load: loaded.ms, open: opened.ms, first: first.ms, rss }))
