import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** A person's machine in small: a home, a client configuration, a project and a guard's data folder, all throw-away. */
export interface World {
  readonly root: string
  readonly home: string
  /** The client's `CLAUDE_CONFIG_DIR`. */
  readonly config: string
  readonly settingsFile: string
  readonly project: string
  /** The guard's data folder. */
  readonly data: string
  /** The whole environment of every process in this world. */
  readonly env: Readonly<Record<string, string>>
  /** What client and commands are started by, such as a namespace with an /etc of its own; mostly nothing. */
  readonly prefix: readonly string[]
  /** Writes a file of the world, folders included; gives its path. */
  write(path: string, text: string): Promise<string>
  read(path: string): Promise<string>
  dispose(): Promise<void>
}

/**
 * Makes a world. It lies under the real home's cache and not under the temp folder: what an agent does to temporary
 * files is rightly judged more mildly than what it does to a person's own.
 */
export const makeWorld = async (
  enclose: (root: string) => Promise<readonly string[]> = async () => [],
): Promise<World> => {
  const worlds = join(homedir(), '.cache', 'sallyport-e2e', 'worlds')
  await mkdir(worlds, { recursive: true })
  const root = await mkdtemp(join(worlds, 'w-'))
  const home = join(root, 'home')
  const config = join(home, '.claude')
  const project = join(home, 'project')
  const data = join(home, '.local', 'share', 'sallyport')
  await Promise.all([config, project].map((folder) => mkdir(folder, { recursive: true })))
  return {
    root,
    home,
    config,
    settingsFile: join(config, 'settings.json'),
    project,
    data,
    prefix: await enclose(root),
    env: {
      // The node that runs the tests comes first: the hook entry and the tiny MCP server need it.
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: home,
      LANG: 'C.UTF-8',
      CLAUDE_CONFIG_DIR: config,
    },
    write: async (path, text) => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
      return path
    },
    read: (path) => readFile(path, 'utf8'),
    dispose: async () => {
      if (process.env['SALLYPORT_E2E_KEEP'] === '1') return console.error(`kept ${root}`)
      await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
