import { readFileSync } from 'node:fs'

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** The user that listens on a port of this machine, as the kernel's tables of sockets have it (Linux). */
export const listenerOf = (port: number, tables: readonly string[] = TABLES): number | undefined => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of tables) {
    try {
      // The state 0A is LISTEN; three fields on comes the user.
      const row = new RegExp(`^\\s*\\d+: [0-9A-F]+:${hex} [0-9A-F]+:0000 0A \\S+ \\S+ \\S+\\s+(\\d+)`, 'm').exec(
        readFileSync(table, 'utf8'),
      )
      if (row?.[1] !== undefined) return Number(row[1])
    } catch {
      // This system has no such table.
    }
  }
  return undefined
}
