import { join } from 'node:path'

/** The owner of a settings file; `managed` is the machine's, which no other level can override. */
export type Scope = 'user' | 'project' | 'managed'

/** Facts that determine where the host looks for its settings. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The project's folder. */
  readonly cwd: string
  readonly platform: string
}

/** A settings file that the host reads. */
export interface SettingsPlace {
  readonly level: 'managed' | 'local' | 'project' | 'user'
  readonly path: string
}

const MANAGED_FOLDERS: Readonly<Record<string, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
}

/** Folder of the machine's settings; `SALLYPORT_CLAUDE_MANAGED` names another one, for trials. */
export const managedFolder = ({ env, platform }: Surroundings): string =>
  env['SALLYPORT_CLAUDE_MANAGED'] ?? MANAGED_FOLDERS[platform] ?? '/etc/claude-code'

const userFolder = ({ env, home }: Surroundings): string => env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude')

/** File for a scope's hooks. A project's go to the file that is not committed, because they contain the token. */
export const settingsFileOf = (scope: Scope, around: Surroundings): string => {
  switch (scope) {
    case 'user':
      return join(userFolder(around), 'settings.json')
    case 'project':
      return join(around.cwd, '.claude', 'settings.local.json')
    case 'managed':
      return join(managedFolder(around), 'managed-settings.d', 'sallyport.json')
    default:
      return scope satisfies never
  }
}

/** Every settings file that the host merges, strongest first; `parts` lists the drop-in folder of managed settings. */
export const settingsPlaces = (around: Surroundings, parts: readonly string[]): readonly SettingsPlace[] => [
  { level: 'managed', path: join(managedFolder(around), 'managed-settings.json') },
  ...parts.map((name) => ({
    level: 'managed' as const,
    path: join(managedFolder(around), 'managed-settings.d', name),
  })),
  { level: 'local', path: join(around.cwd, '.claude', 'settings.local.json') },
  { level: 'project', path: join(around.cwd, '.claude', 'settings.json') },
  { level: 'user', path: join(userFolder(around), 'settings.json') },
]
