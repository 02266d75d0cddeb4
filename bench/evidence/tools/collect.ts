/**
 * `npm run collect-tools [-- NAME…]`: installs the servers of servers.ts from the registry into a cache, starts each
 * secluded and with nothing but made-up keys, and keeps what it says of its tools. Servers are strangers' programs: they
 * are installed without scripts and run without a network, as nobody, in an empty folder, and are killed in the end.
 */
import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { asDefinitions, definitionsPath, fileNameOf, toolsCache } from './cache.ts'
import { type Listed, listTools } from './list-tools.ts'
import { seclude } from './seclude.ts'
import { SERVERS, type ServerPin } from './servers.ts'

const INSTALL_LIMIT_MS = 240_000
const START_LIMIT_MS = 20_000

const folderOf = (pin: ServerPin, cache: string): string => join(cache, 'servers', fileNameOf(pin))

const packageFolder = (pin: ServerPin, cache: string): string =>
  join(folderOf(pin, cache), 'node_modules', ...pin.name.split('/'))

const install = async (pin: ServerPin, cache: string): Promise<void> => {
  const folder = folderOf(pin, cache)
  if (existsSync(join(folder, 'installed'))) return
  await mkdir(folder, { recursive: true })
  // npm climbs to the nearest package.json: give it one right here.
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--prefix', folder]
  const code = await new Promise<number | null>((done) => {
    const child = spawn('npm', ['install', ...flags, `${pin.name}@${pin.version}`], { cwd: folder, stdio: 'ignore' })
    const limit = setTimeout(() => child.kill('SIGKILL'), INSTALL_LIMIT_MS)
    child.on('error', () => done(null))
    child.on('close', (exit) => {
      clearTimeout(limit)
      done(exit)
    })
  })
  if (code === 0) await writeFile(join(folder, 'installed'), '')
}

/** The program that a package brings: the one named, the one named like the package, or the first. */
const entryOf = async (pin: ServerPin, cache: string): Promise<string | undefined> => {
  const folder = packageFolder(pin, cache)
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  const { bin, main } = JSON.parse(text) as { bin?: string | Record<string, string>; main?: string }
  if (typeof bin === 'string') return join(folder, bin)
  const own = pin.name.split('/').at(-1) ?? ''
  const path = bin?.[own] ?? Object.values(bin ?? {})[0] ?? main
  return path === undefined ? undefined : join(folder, path)
}

const start = async (pin: ServerPin, cache: string, before: readonly string[]): Promise<Listed> => {
  const entry = await entryOf(pin, cache)
  if (entry === undefined || !existsSync(entry)) return { outcome: 'none', why: 'it could not be installed.' }
  const home = await mkdtemp(join(tmpdir(), 'collect-tools-'))
  await chmod(home, 0o777)
  for (const [name, text] of Object.entries(pin.files ?? {})) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), text)
  }
  try {
    const [command = '', ...first] = before
    const args = [...first, process.execPath, entry, ...(pin.args ?? [])]
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, TMPDIR: home, ...pin.env }
    return await listTools({ command, args, cwd: home, env }, START_LIMIT_MS)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const collect = async (pin: ServerPin, cache: string, before: readonly string[]): Promise<number> => {
  await install(pin, cache)
  const listed = await start(pin, cache, before)
  if (listed.outcome === 'none') {
    console.log(`${pin.name}@${pin.version}: NOT COLLECTED: ${listed.why.replaceAll('\n', ' | ')}`)
    return 0
  }
  const definitions = asDefinitions({ server: `${pin.name}@${pin.version}`, tools: listed.tools })
  await writeFile(definitionsPath(pin, cache), `${JSON.stringify(definitions, undefined, 1)}\n`)
  console.log(`${pin.name}@${pin.version}: ${definitions.tools.length} tools`)
  return definitions.tools.length
}

const main = async (names: readonly string[]): Promise<number> => {
  const cache = toolsCache(process.env)
  await mkdir(join(cache, 'definitions'), { recursive: true })
  const before = seclude(cache)
  if (before === undefined) {
    console.error(
      `Nothing was started: strangers' programs are run only without a network and not as root. This needs unshare and setpriv (Linux), and a cache that everybody may read: set SALLYPORT_TOOLS_CACHE, ${cache} is not one.`,
    )
    return 2
  }
  const pins = SERVERS.filter(({ name }) => names.length === 0 || names.includes(name))
  const counts = []
  for (const pin of pins) counts.push(await collect(pin, cache, before))
  const servers = counts.filter((count) => count > 0)
  console.log(
    `${servers.reduce((sum, count) => sum + count, 0)} tools of ${servers.length} servers; ${counts.length - servers.length} servers gave none.`,
  )
  return 0
}

process.exitCode = await main(process.argv.slice(2))
