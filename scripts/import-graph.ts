/** Which source file imports which: what the test of the rooms and the limits of the source are computed from. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Each source file, by its path below the folder, with the source files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g

/** Reads the import graph of a folder: its TypeScript files without tests and their fixtures. */
export const readImportGraph = (folder: string): ImportGraph =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => file.split('\\').join('/'))
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture|d)\.ts$/.test(file))
      .map((file) => [
        file,
        [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)]
          .map((match) => posix.normalize(posix.join(dirname(file), match[1] ?? '')))
          .filter((target) => target.endsWith('.ts')),
      ]),
  )

/** Every circle of imports, as the path back to its start. */
export const circlesOf = (graph: ImportGraph): readonly string[] => {
  const done = new Set<string>()
  const found = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) found.add([...path.slice(at), file].join(' -> '))
    if (at >= 0 || done.has(file)) return
    for (const target of graph.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return [...found]
}

/** The folders of a graph, each with the other folders that its files import. */
export const foldersOf = (graph: ImportGraph): ImportGraph => {
  const folders = new Map<string, string[]>()
  for (const [file, targets] of graph) {
    const from = dirname(file)
    const others = targets.map((target) => dirname(target)).filter((to) => to !== from)
    folders.set(from, [...new Set([...(folders.get(from) ?? []), ...others])])
  }
  return folders
}
