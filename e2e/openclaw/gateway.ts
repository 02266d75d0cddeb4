import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { gatewayConfig, type PluginSetup } from './gateway-config.ts'
import { POLICY_CEDAR, SALLYPORT_YAML } from './guard-config.ts'
import { untilConnectable } from './gateway-rpc.ts'
import { startScriptedModel } from './scripted-model.ts'

/** The address and the folders of a running gateway; plain data, so that it can be passed to test workers. */
export interface GatewayAddress {
  readonly pid: number
  readonly port: number
  readonly token: string
  /** The folder of all its files. */
  readonly root: string
  /** The host's state: its databases. */
  readonly state: string
  readonly workspace: string
  /** Scripts and requests of the model. */
  readonly model: string
  /** A line of JSON for each message that the agent sent by itself. */
  readonly sentFile: string
  /** Sallyport's data folder. */
  readonly data: string
  readonly logFile: string
  /** Environment of every program in this world. */
  readonly env: Readonly<Record<string, string>>
  /** From the start of the process until it let clients in, in milliseconds. */
  readonly readyMs: number
}

/** A gateway, and how to end it. */
export interface RunningGateway {
  readonly address: GatewayAddress
  stop(): Promise<void>
}

/** The token is not a secret: it opens a gateway on loopback that lives for minutes. */
const TOKEN = 'end-to-end'
const READY_LIMIT_MS = 240_000

/** The host under test, installed by e2e/run.ts. */
export const hostEntry = (): string => {
  const entry = process.env['SALLYPORT_E2E_OPENCLAW']
  if (entry === undefined) throw new Error('Run these tests by `npm run e2e -- openclaw`: it installs the host.')
  return entry
}

const answers = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok
  } catch {
    return false
  }
}

const untilReady = async (child: ChildProcess, port: number, output: () => string): Promise<void> => {
  const giveUpAt = Date.now() + READY_LIMIT_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The gateway ended: ${output()}`)
    if (Date.now() > giveUpAt) throw new Error(`The gateway was not ready in time. It said: ${output()}`)
    await sleep(250)
  }
}

const envOf = (root: string): Readonly<Record<string, string>> => ({
  PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  HOME: join(root, 'home'),
  TMPDIR: join(root, 'tmp'),
  LANG: 'C.UTF-8',
  CI: '1',
  NO_COLOR: '1',
  OPENCLAW_STATE_DIR: join(root, 'state'),
  OPENCLAW_CONFIG_PATH: join(root, 'openclaw.json'),
  OPENCLAW_DISABLE_BONJOUR: '1',
  SALLYPORT_E2E_SENT: join(root, 'sent.jsonl'),
})

const end = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise<void>((done) => {
    child.on('close', () => done())
  })
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const limit = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await gone
  clearTimeout(limit)
}

/**
 * Starts the real gateway in a throw-away world, with a scripted model of its own, and waits until it answers.
 * @param entry the host's program, where it is not the one under test
 */
export const startGateway = async (plugins: PluginSetup, entry = hostEntry()): Promise<RunningGateway> => {
  const worlds = join(homedir(), '.cache', 'sallyport-e2e', 'worlds')
  await mkdir(worlds, { recursive: true })
  const root = await mkdtemp(join(worlds, 'oc-'))
  const folder = (name: string): string => join(root, name)
  await Promise.all(['home', 'tmp', 'state', 'workspace', 'data'].map((name) => mkdir(folder(name))))
  await writeFile(folder('sent.jsonl'), '')
  const own = folder('home/.config/sallyport')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'sallyport.yaml'), SALLYPORT_YAML)
  await writeFile(join(own, 'policy.cedar'), POLICY_CEDAR)
  const model = await startScriptedModel(folder('model'))
  const port = await freePort()
  const logFile = folder('gateway.log')
  const place = { port, token: TOKEN, modelUrl: model.url, workspace: folder('workspace'), logFile }
  await writeFile(folder('openclaw.json'), JSON.stringify(gatewayConfig(place, plugins), null, 2))
  const env = envOf(root)
  const startedAt = performance.now()
  const args = [entry, 'gateway', 'run', '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: place.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const hear = (part: Buffer): void => {
    said = (said + part.toString('utf8')).slice(-8000)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const stop = async (): Promise<void> => {
    await end(child)
    model.close()
    if (process.env['SALLYPORT_E2E_KEEP'] === '1') return console.error(`kept ${root}`)
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    await untilReady(child, port, () => said)
    await untilConnectable(port, TOKEN, READY_LIMIT_MS)
  } catch (error) {
    console.error(await readFile(logFile, 'utf8').catch(() => ''))
    await stop()
    throw error
  }
  const readyMs = Math.round(performance.now() - startedAt)
  const address: GatewayAddress = {
    pid: child.pid ?? 0,
    port,
    token: TOKEN,
    root,
    state: folder('state'),
    workspace: place.workspace,
    model: folder('model'),
    sentFile: folder('sent.jsonl'),
    data: folder('data'),
    logFile,
    env,
    readyMs,
  }
  return { address, stop }
}
