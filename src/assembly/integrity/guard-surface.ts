import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { PACKAGE_FOLDER } from '../../package/package-files.ts'
import { isObject } from '../../protocol/json.ts'
import { dataFiles, secretFiles } from '../../config/data-folder.ts'
import type { ConfigLocations } from '../../config/locations.ts'
import { dependencyFolders } from './own-dependencies.ts'
import type { GuardSurface } from '../../evidence/effects/guard/guard-surface.ts'

export type { GuardSurface } from '../../evidence/effects/guard/guard-surface.ts'

/** The parts of a running guard, by which the analysis recognises it. */
export interface GuardParts {
  readonly data: string
  /** Additional files and folders of the guard, absolute. */
  readonly own?: readonly string[]
  readonly locations: ConfigLocations
  readonly pid: number
  readonly port: number
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The settings file of a note; an unreadable note is skipped. */
const settingsOf = (note: string): readonly string[] => {
  try {
    const value: unknown = JSON.parse(readFileSync(note, 'utf8'))
    return isObject(value) && typeof value['path'] === 'string' ? [value['path']] : []
  } catch {
    return []
  }
}

/** A settings file of a host that contains the guard's hooks, with the name of the note that `install` made. */
export interface InstalledSettings {
  readonly note: string
  readonly path: string
}

/** Settings files of hosts that contain the guard's hooks, as `install` noted them. */
export const installedSettings = (folder: string): readonly InstalledSettings[] =>
  namesIn(folder).flatMap((note) => settingsOf(join(folder, note)).map((path) => ({ note, path })))

/** What an agent must not touch: the guard's folders under both their names, its process and its addresses. */
export const guardSurface = ({ data, own = [], locations, pid, port }: GuardParts): GuardSurface => {
  const noted = installedSettings(dataFiles(data).installed).map(({ path }) => path)
  const packages = dependencyFolders(PACKAGE_FOLDER)
  const folders = [data, locations.user, locations.managed, PACKAGE_FOLDER, ...noted, ...own]
  return {
    paths: [...new Set([...folders, ...folders.map(real)])],
    pids: [pid],
    programs: [...new Set([process.execPath, real(process.execPath), ...packages])],
    secrets: [...new Set([...secretFiles(data), ...secretFiles(real(data))])],
    addresses: ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0'].map((host) => `${host}:${port}`),
  }
}
