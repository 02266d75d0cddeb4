import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A change of the host's code: every occurrence in the files at the top of its `dist`. */
export interface Change {
  readonly from: string
  readonly to: string
}

/** A copy of the host with its insides changed, in a folder of its own. */
export interface ChangedHost {
  readonly entry: string
  remove(): Promise<void>
}

/** What no gateway of these tests reads: a quarter of a gigabyte. */
const LEFT_OUT = ['docs', 'worker']

const change = async (dist: string, changes: readonly Change[]): Promise<void> => {
  const left = new Set(changes)
  for (const name of await readdir(dist)) {
    if (!name.endsWith('.mjs')) continue
    const text = await readFile(join(dist, name), 'utf8')
    const met = changes.filter(({ from }) => text.includes(from))
    if (met.length === 0) continue
    for (const one of met) left.delete(one)
    await writeFile(
      join(dist, name),
      met.reduce((rest, { from, to }) => rest.replaceAll(from, to), text),
    )
  }
  if (left.size > 0) throw new Error(`The host has nothing like ${[...left].map(({ from }) => from).join(', ')}.`)
}

/** Copies the installed host, never touching it, and changes the copy. What the host depends on is linked. */
export const changedHost = async (entry: string, changes: readonly Change[]): Promise<ChangedHost> => {
  const installed = dirname(entry)
  const modules = dirname(installed)
  const worlds = join(homedir(), '.cache', 'sallyport-e2e', 'worlds')
  await mkdir(worlds, { recursive: true })
  const root = await mkdtemp(join(worlds, 'oc-changed-'))
  const own = join(root, 'node_modules')
  await mkdir(own)
  for (const name of await readdir(modules))
    if (name !== basename(installed)) await symlink(join(modules, name), join(own, name))
  const copy = join(own, basename(installed))
  await cp(installed, copy, {
    recursive: true,
    filter: (from) =>
      !LEFT_OUT.some((name) => from === join(installed, name) || from === join(installed, 'dist', name)),
  })
  await change(join(copy, 'dist'), changes)
  return {
    entry: join(copy, basename(entry)),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}
