import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const current = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Gives a file this text, whole or not at all; one that has it already is left alone. */
export const replaceFile = (path: string, text: string, mode = 0o600): void => {
  if (current(path) === text) return
  const part = `${path}.${process.pid}.tmp`
  writeFileSync(part, text, { mode })
  renameSync(part, path)
}
