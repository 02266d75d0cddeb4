import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConfigLocations } from './locations.ts'
import type { GuardSurface } from '../evidence/effects/analysis.ts'

/** What a running guard consists of, for the analysis to know it by. */
export interface GuardParts {
  readonly data: string
  readonly locations: ConfigLocations
  readonly pid: number
  readonly port: number
}

/** The folder Sallyport itself was installed in. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** What an agent must not touch: the guard's folders under both their names, its process and its addresses. */
export const guardSurface = ({ data, locations, pid, port }: GuardParts): GuardSurface => {
  const folders = [data, locations.user, locations.managed, PACKAGE]
  return {
    paths: [...new Set([...folders, ...folders.map(real)])],
    pids: [pid],
    addresses: ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0'].map((host) => `${host}:${port}`),
  }
}
