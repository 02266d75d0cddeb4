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

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Tables of modules that this SQLite does not have cannot be read; the tables behind them are. */
const isForeign = (error: unknown): boolean => String(error).includes('no such module')

const searchTable = (database: DatabaseSync, table: string, text: string): Readonly<Record<string, number>> => {
  try {
    const columns = database.prepare(`PRAGMA table_info(${quoted(table)})`).all()
    const names = columns.map(({ name }) => String(name))
    if (names.length === 0) return {}
    // Compared as bytes: what is kept as a blob counts like text.
    const sums = names.map((name) => `sum(instr(CAST(${quoted(name)} AS BLOB), ?) > 0) AS ${quoted(name)}`)
    const bytes = Buffer.from(text)
    const row = database.prepare(`SELECT ${sums.join(', ')} FROM ${quoted(table)}`).get(...names.map(() => bytes))
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, rows]) => [name, Number(rows ?? 0)]))
  } catch (error) {
    if (isForeign(error)) return {}
    throw error
  }
}

/** Every table of a database, every column, every row: what is asked is whether a text is kept, wherever that may be. */
const searchDatabase = (path: string, file: string, text: string): readonly Hit[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.flatMap(({ name: table }) =>
      Object.entries(searchTable(database, String(table), text))
        .filter(([, rows]) => rows > 0)
        .map(([column, rows]) => ({ file, column: `${String(table)}.${column}`, rows })),
    )
  } finally {
    database.close()
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

/** Every cell of every database below a folder, and every other file, each with its place. */
export const eachCell = async (folder: string, look: (where: string, bytes: Buffer) => void): Promise<void> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile() && !OF_A_DATABASE.test(each.name))) {
    const path = join(entry.parentPath, entry.name)
    const file = relative(folder, path)
    if (!/\.(?:sqlite|db)$/.test(entry.name) || LOCKS.test(entry.name)) { look(file, await readFile(path)); continue }
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      for (const { name: table } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
        try {
          for (const row of database.prepare(`SELECT * FROM ${quoted(String(table))}`).iterate())
            for (const [column, value] of Object.entries(row))
              if (typeof value === 'string') look(`${file} ${String(table)}.${column}`, Buffer.from(value))
              else if (value instanceof Uint8Array) look(`${file} ${String(table)}.${column}`, Buffer.from(value))
        } catch (error) { if (!isForeign(error)) throw error }
      }
    } finally { database.close() }
  }
}
