import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A place in the host's state that holds a text. */
export interface Hit {
  /** File below the state folder. */
  readonly file: string
  /** `table.column` of a database; undefined for another kind of file. */
  readonly column?: string
  readonly rows: number
}

const holds = (value: unknown, text: string): boolean => {
  if (typeof value === 'string') return value.includes(text)
  return value instanceof Uint8Array && Buffer.from(value).includes(text)
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Every table of a database, every column, every row: what is asked is whether a text is kept, wherever that may be. */
const searchDatabase = (path: string, file: string, text: string): readonly Hit[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.flatMap(({ name }) => {
      const table = String(name)
      const found = new Map<string, number>()
      // Virtual tables of modules that this SQLite does not have cannot be read; their shadow tables are.
      for (const row of rowsOf(database, table))
        for (const [column, value] of Object.entries(row))
          if (holds(value, text)) found.set(column, (found.get(column) ?? 0) + 1)
      return [...found].map(([column, rows]) => ({ file, column: `${table}.${column}`, rows }))
    })
  } finally {
    database.close()
  }
}

function* rowsOf(database: DatabaseSync, table: string): Generator<Record<string, unknown>> {
  try {
    yield* database.prepare(`SELECT * FROM ${quoted(table)}`).iterate()
  } catch (error) {
    if (!String(error).includes('no such module')) throw error
  }
}

const OF_A_DATABASE = /\.sqlite(?:-wal|-shm)$/
/** Databases that the host holds locked and uses as locks only; read as plain files. */
const LOCKS = /(?:\.lock|owner)\.sqlite$/

/**
 * Where the host's state holds a text: the rows of its databases (their write-ahead logs included, as SQLite reads
 * them), and all other files. What lies in pages that SQLite has freed is not looked for.
 */
export const searchState = async (state: string, text: string): Promise<readonly Hit[]> => {
  const entries = await readdir(state, { recursive: true, withFileTypes: true })
  const hits: Hit[] = []
  for (const entry of entries.filter((each) => each.isFile() && !OF_A_DATABASE.test(each.name))) {
    const path = join(entry.parentPath, entry.name)
    const file = relative(state, path)
    if (entry.name.endsWith('.sqlite') && !LOCKS.test(entry.name)) hits.push(...searchDatabase(path, file, text))
    else if ((await readFile(path)).includes(text)) hits.push({ file, rows: 1 })
  }
  return hits
}
