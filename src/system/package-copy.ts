import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A folder that goes into the copy of a package, and its place there. */
export interface CopiedPart {
  readonly from: string
  /** Relative to the copy. */
  readonly to: string
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/** What a guard needs beside its code and its dependencies. */
const BESIDE = ['models', 'policies', 'package.json', 'LICENSE']

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Where Node would find a dependency from a folder. @throws Error when it is not installed */
const dependencyFolder = (name: string, from: string): string => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (exists(join(found, 'package.json'))) return realpathSync(found)
    if (dirname(folder) === folder) throw new Error(`${name}, which ${from} depends on, is not installed`)
  }
}

/**
 * The parts of a package that a guard runs from: the code, what it reads, and all dependencies. A dependency is nested
 * only where another version of it has its place already.
 * @param code folder of the code below the package, such as `dist`
 */
export const packageParts = (folder: string, code: string): readonly CopiedPart[] => {
  const placed = new Map<string, string>()
  const follow = (from: string, at: string): void => {
    for (const name of Object.keys(manifestOf(from).dependencies ?? {})) {
      const found = dependencyFolder(name, from)
      const shared = join('node_modules', name)
      if (placed.get(shared) === found) continue
      const to = placed.has(shared) ? join(at, 'node_modules', name) : shared
      if (placed.get(to) === found) continue
      placed.set(to, found)
      follow(found, to)
    }
  }
  follow(folder, '')
  const own = [code, ...BESIDE].filter((name) => exists(join(folder, name)))
  return [...own.map((to) => ({ from: join(folder, to), to })), ...[...placed].map(([to, from]) => ({ from, to }))]
}

const isLeftOut = (name: string): boolean => name === 'node_modules' || name.endsWith('.test.ts')

/**
 * Copies files and folders, following links. The copies belong to the user who runs this, and only this user may write
 * them. A dependency's own `node_modules` is skipped: `packageParts` names its content.
 */
export const copyTree = (from: string, to: string): void => {
  const stats = statSync(from)
  if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true, mode: 0o755 })
    chmodSync(to, 0o755)
    for (const name of readdirSync(from)) if (!isLeftOut(name)) copyTree(join(from, name), join(to, name))
  } else if (stats.isFile()) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
    copyFileSync(from, to)
    chmodSync(to, (stats.mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}
