import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ClientVersion } from './client-version.ts'
import { parseClientVersion } from './client-version.ts'

/** The client as found on this machine. */
export interface FoundClient {
  readonly path: string
  /** `undefined` when it did not say. */
  readonly version: ClientVersion | undefined
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, process.platform === 'win32' ? 'claude.exe' : 'claude'))
    .find((path) => isExecutable(path))

const versionOf = (path: string, env: Readonly<Record<string, string | undefined>>): Promise<string> =>
  new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 15_000, env: { ...env } }, (error, stdout) => {
      resolve(error === null ? stdout : '')
    })
  })

/** Finds the client by option, `CLAUDE_BIN` or PATH, and asks its version. */
export const findClient = async (
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundClient | undefined> => {
  const path = option ?? env['CLAUDE_BIN'] ?? onPath(env)
  if (path === undefined || !isExecutable(path)) return undefined
  return { path, version: parseClientVersion(await versionOf(path, env)) }
}
