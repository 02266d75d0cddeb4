/**
 * `npm run lock`: writes into package-lock.json the builds for other platforms that the registry in use did not have
 * when the lock was made. Without their entries `npm ci` takes the lock for out of step; with them it leaves them out
 * here and finds them where they are needed. `--check` fails when some are missing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../src/protocol/json.ts'
import { scriptArguments } from './arguments.ts'

const file = join(import.meta.dirname, '..', 'package-lock.json')
const lock: unknown = JSON.parse(readFileSync(file, 'utf8'))
if (!isObject(lock) || !isObject(lock['packages'])) throw new Error(`${file} is no lock file`)
const packages = { ...lock['packages'] }

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/
const OS = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|wasm32)\b/
const CPU = /\b(arm64|x64|ia32|arm|riscv64|ppc64|s390x|loong64|mips64el|wasm32)\b/

/** The platform of a build, from its name; `undefined` if the name does not show it. */
const platformOf = (name: string): { readonly os: readonly string[]; readonly cpu: readonly string[] } | undefined => {
  const os = OS.exec(name)?.[1]
  const cpu = CPU.exec(name)?.[1]
  return os === undefined || cpu === undefined ? undefined : { os: [os], cpu: [cpu] }
}

const added: string[] = []
for (const entry of Object.values(lock['packages'])) {
  const optional = isObject(entry) ? entry['optionalDependencies'] : undefined
  if (!isObject(entry) || !isObject(optional)) continue
  for (const [name, version] of Object.entries(optional)) {
    const place = `node_modules/${name}`
    const platform = platformOf(name)
    if (Object.hasOwn(packages, place) || platform === undefined) continue
    if (typeof version !== 'string' || !EXACT.test(version)) continue
    packages[place] = { version, ...platform, ...(entry['dev'] === true ? { dev: true } : {}), optional: true }
    added.push(`${name}@${version}`)
  }
}

const { check } = scriptArguments(
  'Usage: npm run lock [-- --check]; --check writes nothing and fails if an entry is missing',
  {
    check: { type: 'boolean', default: false },
  },
).values
if (check) {
  for (const name of added) console.log(`not in the lock: ${name} (npm run lock)`)
  if (added.length > 0) process.exitCode = 1
} else if (added.length > 0) {
  const sorted = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`)
  console.log(`added ${added.length} builds for other platforms`)
}
