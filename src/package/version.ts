import { readFileSync } from 'node:fs'
import { MANIFEST } from './package-files.ts'
import { isObject } from '../protocol/json.ts'

const manifest: unknown = JSON.parse(readFileSync(MANIFEST, 'utf8'))

/** Version of this package, as in its manifest; the same from sources and from the built files. */
export const VERSION: string =
  isObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : 'unknown'
