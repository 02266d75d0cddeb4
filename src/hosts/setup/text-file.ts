import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'

/** Text of a file; `undefined` when there is none. */
export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Permissions of a file; null when there is none. */
export const modeOf = (path: string): number | null => {
  try {
    return statSync(path).mode & 0o777
  } catch {
    return null
  }
}

/** The target of a link, so that a person's linked settings stay linked. */
export const targetOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Writes a file completely or not at all. */
export const writeAtomically = (path: string, text: string, mode: number): void => {
  const real = targetOf(path)
  const part = `${real}.${randomBytes(6).toString('hex')}.tmp`
  writeFileSync(part, text, { mode, flag: 'wx' })
  chmodSync(part, mode)
  renameSync(part, real)
}
