import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hostEntry, type GatewayAddress } from './gateway.ts'
import type { PluginEntry } from './gateway-config.ts'
import { runProgram } from '../run-program.ts'
import type { ProgramRun } from '../run-program.ts'

/** The host without its gateway: a state of its own beside a gateway's, with that gateway's model. */
export interface HostAside {
  readonly state: string
  readonly workspace: string
  /** Runs `openclaw ARGS` to its end. */
  run(...args: readonly string[]): Promise<ProgramRun>
}

const CONFIG = z.looseObject({
  agents: z.looseObject({ defaults: z.looseObject({}) }),
  plugins: z.looseObject({ entries: z.record(z.string(), z.unknown()) }),
})

const LIMIT_MS = 80_000

/** Runs the host's command in an environment. It takes some ten seconds, most of them to load. */
export const runHost = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ProgramRun> => runProgram([process.execPath, hostEntry(), ...args], { env, cwd, limitMs: LIMIT_MS })

/** Sets up the host without a gateway, with one plugin. */
export const makeAside = async (gateway: GatewayAddress, name: string, sallyport: PluginEntry): Promise<HostAside> => {
  const root = join(gateway.root, name)
  const [state, workspace, file] = [join(root, 'state'), join(root, 'workspace'), join(root, 'openclaw.json')]
  await Promise.all([state, workspace].map((folder) => mkdir(folder, { recursive: true })))
  const config = CONFIG.parse(JSON.parse(await readFile(join(gateway.root, 'openclaw.json'), 'utf8')))
  const off = Object.fromEntries(Object.keys(config.plugins.entries).map((id) => [id, { enabled: false }]))
  const own = {
    ...config,
    channels: {},
    agents: { ...config.agents, defaults: { ...config.agents.defaults, workspace } },
    plugins: { ...config.plugins, entries: { ...off, sallyport } },
  }
  await writeFile(file, JSON.stringify(own))
  const env = { ...gateway.env, OPENCLAW_STATE_DIR: state, OPENCLAW_CONFIG_PATH: file }
  return { state, workspace, run: (...args) => runHost(args, env, workspace) }
}
