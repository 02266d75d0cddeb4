/** Which source file imports which: what the test of the rooms and the limits of the source are computed from. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Each source file, by its path below the folder, with the source files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

/** Reads the import graph of a folder: its TypeScript files without tests, fixtures included. */
export const readImportGraph = (folder: string): ImportGraph =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => file.split('\\').join('/'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
      .map((file) => [
        file,
        [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)]
          .map((match) => posix.normalize(posix.join(dirname(file), match[1] ?? '')))
          .filter((target) => target.endsWith('.ts')),
      ]),
  )

/** Every circle of files, as the path that leads back to where it began. */
export const circlesOf = (graph: ImportGraph): readonly string[] => {
  const done = new Set<string>()
  const found = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) found.add(path.slice(at).join(' -> '))
    if (at >= 0 || done.has(file)) return
    for (const target of graph.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return [...found]
}

/** Pairs of folders that import each other, in order. */
export const mutualFolders = (graph: ImportGraph): readonly string[] => {
  const pairs = new Set(
    [...graph].flatMap(([file, targets]) => targets.map((target) => `${dirname(file)} ${dirname(target)}`)),
  )
  return [...pairs]
    .filter((pair) => {
      const [from = '', to = ''] = pair.split(' ')
      return from < to && pairs.has(`${to} ${from}`)
    })
    .toSorted(byText)
}
