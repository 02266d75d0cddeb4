import { readFileSync, statSync } from 'node:fs'
import { isOwnSecret } from '../evidence/detectors/secrets/own-secrets.ts'
import { secretFiles } from './data-folder.ts'

/** Bytes of a file that is still a token or a key, and no database. */
const MOST = 512

const readOne = (path: string): string => {
  try {
    return statSync(path).size > MOST ? '' : readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Tokens and keys of a guard, by their values, as they lie in its data folder and its environment now. */
export const ownSecrets = (data: string, env: Readonly<Record<string, string | undefined>>): readonly string[] => [
  ...new Set(
    [...secretFiles(data).map(readOne), env['SALLYPORT_TOKEN'] ?? '', env['SALLYPORT_ACS_SECRET'] ?? ''].filter(
      isOwnSecret,
    ),
  ),
]
