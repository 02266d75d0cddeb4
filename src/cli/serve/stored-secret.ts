import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * A secret of a guard, as text: the one given, or the one kept in its data folder, made at the first need and readable
 * by its owner only.
 */
export const storedSecret = (path: string, given: string | undefined): string => {
  if (given !== undefined && given !== '') return given
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (kept !== '') return kept
  const token = randomBytes(32).toString('base64url')
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  return token
}
