import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hostEntry, type GatewayAddress } from './gateway.ts'
import type { PluginEntry } from './gateway-config.ts'

/** How a run of the host's own command ended. */
export interface HostRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The host without its gateway: a state of its own beside a gateway's, with that gateway's model. */
export interface HostAside {
  readonly state: string
  readonly workspace: string
  /** Runs `openclaw ARGS` to its end. */
  run(...args: readonly string[]): Promise<HostRun>
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
): Promise<HostRun> =>
  new Promise((done, failed) => {
    const child = spawn(process.execPath, [hostEntry(), ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    let out = ''
    let err = ''
    child.stdout.on('data', (part: Buffer) => (out += part.toString('utf8')))
    child.stderr.on('data', (part: Buffer) => (err += part.toString('utf8')))
    child.on('error', failed)
    child.on('close', (code) => {
      clearTimeout(limit)
      done({ code, out, err })
    })
  })

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
