import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { PathKind, World } from '../protocol/world.ts'

const MAX_NAMES = 10_000

const answer = <T>(ask: () => T, otherwise: T): T => {
  try {
    return ask()
  } catch {
    return otherwise
  }
}

/** Resolves links in the part of the path that exists; what does not exist yet stays as written. */
const realPath = (path: string): string => {
  let missing = ''
  for (let existing = path; ;) {
    const real = answer(() => realpathSync(existing), undefined)
    if (real !== undefined) return missing === '' ? real : join(real, missing)
    const up = dirname(existing)
    if (up === existing) return path
    missing = missing === '' ? basename(existing) : join(basename(existing), missing)
    existing = up
  }
}

const pathKind = (path: string): PathKind =>
  answer(() => {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) return 'link'
    if (stats.isFile()) return 'file'
    return stats.isDirectory() ? 'directory' : 'other'
  }, 'missing')

const list = (path: string): readonly string[] | null =>
  answer(() => {
    const names = readdirSync(path)
    return names.length > MAX_NAMES ? null : names
  }, null)

/** The machine itself: real paths, folders and environment. Every method answers and never throws. */
export const createMachineWorld = (
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = answer(homedir, '/'),
): World => Object.freeze({ realPath, pathKind, list, env: (name: string) => env[name], home })
