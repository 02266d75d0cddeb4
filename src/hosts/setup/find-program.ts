import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The name of a host's program, and how a person can override it. */
export interface ProgramName {
  /** On the PATH, without an extension. */
  readonly name: string
  /** Environment variable that names it. */
  readonly variable: string
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (env: Readonly<Record<string, string | undefined>>, name: string): string | undefined =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, process.platform === 'win32' ? `${name}.exe` : name))
    .find((path) => isExecutable(path))

/** Finds a host's program by option, by its variable or on the PATH. */
export const findProgram = (
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  { name, variable }: ProgramName,
): string | undefined => {
  const path = option ?? env[variable] ?? onPath(env, name)
  return path !== undefined && isExecutable(path) ? path : undefined
}
