import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const current = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Writes a text to a file, completely or not at all; an unchanged file is not written. */
export const replaceFile = (path: string, text: string, mode = 0o600): void => {
  if (current(path) === text) return
  const part = `${path}.${process.pid}.tmp`
  writeFileSync(part, text, { mode })
  renameSync(part, path)
}
