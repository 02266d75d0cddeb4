import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A place in the host's state. */
export interface Cell {
  /** File below the state folder. */
  readonly file: string
  /** `table.column` of a database; undefined for another kind of file. */
  readonly column?: string
}

/** A place in the host's state that contains a text. */
export interface Hit extends Cell {
  readonly rows: number
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Tables of modules that this SQLite does not have cannot be read; the tables behind them are. */
const isForeign = (error: unknown): boolean => String(error).includes('no such module')

type Look = (cell: Cell, bytes: Buffer) => void

const lookIntoTable = (database: DatabaseSync, table: string, file: string, look: Look): void => {
  try {
    for (const row of database.prepare(`SELECT * FROM ${quoted(table)}`).iterate())
      for (const [name, value] of Object.entries(row)) {
        // Compared as bytes: what is kept as a blob counts like text.
        if (typeof value === 'string') look({ file, column: `${table}.${name}` }, Buffer.from(value))
        if (value instanceof Uint8Array) look({ file, column: `${table}.${name}` }, Buffer.from(value))
      }
  } catch (error) {
    if (!isForeign(error)) throw error
  }
}

/**
 * Every table of a database, every column, every row: what is asked is whether a text is kept, wherever that may be.
 */
const lookIntoDatabase = (path: string, file: string, look: Look): void => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    for (const { name } of tables) lookIntoTable(database, String(name), file, look)
  } finally {
    database.close()
  }
}

const OF_A_DATABASE = /\.sqlite(?:-wal|-shm)$/
const DATABASE = /\.(?:sqlite|db)$/
/** Databases that the host holds locked and uses as locks only; read as plain files. */
const LOCKS = /(?:\.lock|owner)\.sqlite$/

/** A file that the host has removed since the folder was read contains nothing. */
const readIfThere = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/**
 * Shows all that lies below a folder: the cells of its databases (their write-ahead logs included, as SQLite reads
 * them), and all other files. What lies in pages that SQLite has freed is not shown.
 */
export const eachCell = async (folder: string, look: Look): Promise<void> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile() && !OF_A_DATABASE.test(each.name))) {
    const path = join(entry.parentPath, entry.name)
    const file = relative(folder, path)
    if (DATABASE.test(entry.name) && !LOCKS.test(entry.name)) lookIntoDatabase(path, file, look)
    else look({ file }, await readIfThere(path))
  }
}

/** The places of a text in the host's state. */
export const searchState = async (state: string, text: string): Promise<readonly Hit[]> => {
  const wanted = Buffer.from(text)
  const hits = new Map<string, Hit>()
  await eachCell(state, (cell, bytes) => {
    if (!bytes.includes(wanted)) return
    const place = `${cell.file} ${cell.column ?? ''}`
    hits.set(place, { ...cell, rows: (hits.get(place)?.rows ?? 0) + 1 })
  })
  return [...hits.values()]
}
