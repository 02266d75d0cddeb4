import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../protocol/json.ts'

/** Most packages that are followed: more than the guard has. */
const MOST = 500

const KINDS = ['dependencies', 'optionalDependencies']
/** Hosts that load the guard as a plugin, which names them as peers: their files are not the guard's. */
const HOSTS: ReadonlySet<string> = new Set(['openclaw'])

const namesIn = (folder: string, kinds: readonly string[]): readonly string[] => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (!isObject(manifest)) return []
    return kinds
      .flatMap((kind) => (isObject(manifest[kind]) ? Object.keys(manifest[kind]) : []))
      .filter((name) => !HOSTS.has(name))
  } catch {
    return []
  }
}

/** The folder that Node loads a package from, for code in a folder. */
const installedAt = (name: string, from: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const found = join(folder, 'node_modules', name)
      if (statSync(found).isDirectory()) return realpathSync(found)
    } catch {
      // Not here: Node searches one folder further up.
    }
    if (dirname(folder) === folder) return undefined
  }
}

/**
 * Folders of the packages whose code runs in a package's process, those of its dependencies too; links resolved. Its
 * optional peers run there if a person has installed them.
 */
export const dependencyFolders = (packageFolder: string): readonly string[] => {
  const found = new Set<string>()
  const open = [packageFolder]
  for (let folder = open.pop(); folder !== undefined && found.size < MOST; folder = open.pop())
    for (const name of namesIn(folder, folder === packageFolder ? [...KINDS, 'peerDependencies'] : KINDS)) {
      const at = installedAt(name, folder)
      if (at === undefined || found.has(at)) continue
      found.add(at)
      open.push(at)
    }
  return [...found].toSorted()
}
