import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

const given = (env: Env, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? undefined : value
}

/** The host's home: `OPENCLAW_HOME` overrides the person's own. */
const hostHome = (env: Env, home: string): string => atHome(given(env, 'OPENCLAW_HOME') ?? home, home)

const atHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(path)

/** The host's state folder (docs/gateway/configuration of 2026.9.6); one of its profiles sets the variable. */
export const stateFolderOf = (env: Env, home: string): string => {
  const set = given(env, 'OPENCLAW_STATE_DIR')
  const own = hostHome(env, home)
  if (set !== undefined) return atHome(set, own)
  const folders = ['.openclaw', '.clawdbot'].map((name) => join(own, name))
  return folders.find((folder) => existsSync(folder)) ?? join(own, '.openclaw')
}

/** The host's configuration file, whether it exists or not. */
export const configFileOf = (env: Env, home: string): string => {
  const set = given(env, 'OPENCLAW_CONFIG_PATH')
  if (set !== undefined) return atHome(set, hostHome(env, home))
  const state = stateFolderOf(env, home)
  const files = ['openclaw.json', 'clawdbot.json'].map((name) => join(state, name))
  return files.find((file) => existsSync(file)) ?? join(state, 'openclaw.json')
}

/** Files that set variables of the gateway at start, besides those of its parent (docs/gateway/configuration). */
export const environmentFilesOf = (env: Env, home: string): readonly string[] => {
  const own = hostHome(env, home)
  return [
    ...new Set([
      join(stateFolderOf(env, home), '.env'),
      join(own, '.openclaw', '.env'),
      join(own, '.config', 'openclaw', 'gateway.env'),
    ]),
  ]
}

/** The host refuses to change its configuration where a deployment owns it (docs/cli/config). */
export const isManagedElsewhere = (env: Env): boolean =>
  env['OPENCLAW_CONFIG_READONLY'] === '1' || env['OPENCLAW_NIX_MODE'] === '1'
