import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, inject } from 'vitest'
import { z } from 'zod'
import { runCli } from '../cli.ts'
import type { ProgramRun } from '../run-program.ts'
import { readTrace, type TraceEvent } from '../trace.ts'
import type { EntryPath } from './entry-paths.ts'
import type { GatewayAddress } from './gateway.ts'
import { testPlugins, type PluginEntry } from './gateway-config.ts'
import { connectRpc, type GatewayRpc } from './gateway-rpc.ts'
import { sallyportEntry } from './plugin-under-test.ts'
import { searchState, type Hit } from './state-search.ts'
import { modelSaw, startTalk, type Talk } from './talk.ts'

/** Made-up personal data, assembled so that no file contains it. */
export const PERSONAL = {
  ssn: ['536', '90', '4399'].join('-'),
  card: ['4539', '1488', '0343', '6467'].join(' '),
} as const

/** Characters of a key that must not be seen anywhere once it is masked: its tail, which no shape keeps. */
export const tailOf = (key: string): string => key.slice(-12)

/** Places where a text was stored; a block must leave them empty. */
export interface Traces {
  readonly model: boolean
  readonly state: readonly Hit[]
}

/** A message that the agent sent by itself. */
export interface Sent {
  readonly to: string
  readonly text: string
}

/** The gateway of this run, as the tests of one file see it. */
export interface Stage {
  readonly gateway: GatewayAddress
  readonly rpc: GatewayRpc
  /** Switches the plugins: those named are as told, all others but the test channel are off. */
  usePlugins(entries: Readonly<Record<string, PluginEntry>>): Promise<void>
  /** The plugin under test with these settings over its defaults, and no other plugin. */
  guardWith(config: Readonly<Record<string, unknown>>): Promise<void>
  /** Starts a talk in a session of its own. */
  talk(path: EntryPath): Talk
  /** A word that occurs nowhere else in this run. */
  freshWord(): string
  /** A token that looks live, made now, and never seen before in this run. */
  freshKey(): string
  /** Where a text is by now. */
  tracesOf(text: string): Promise<Traces>
  /** Messages that the agent sent by itself. */
  sent(): Promise<readonly Sent[]>
  /** Runs a `sallyport` command on the plugin's data folder. */
  cli(...args: readonly string[]): Promise<ProgramRun>
  /** The trace of a session, after `trace verify` has found the whole record sound. */
  trace(session: string): Promise<readonly TraceEvent[]>
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const CONFIG = z.looseObject({ plugins: z.looseObject({ entries: z.record(z.string(), z.unknown()) }) })
const CURRENT = z.looseObject({ hash: z.string() })
const SENT = z.object({ to: z.string(), text: z.string() })

/**
 * Gives the host a whole new configuration, so that nothing of an entry's older one is left, and waits until the
 * gateway says that it applies. In hybrid reload mode the plugin is loaded anew by that, within a second or two.
 */
const applyEntries = async (stage: Pick<Stage, 'gateway' | 'rpc'>, entries: Readonly<Record<string, PluginEntry>>) => {
  const text = await readFile(`${stage.gateway.root}/openclaw.json`, 'utf8')
  const config = CONFIG.parse(JSON.parse(text))
  const off = Object.fromEntries(Object.keys(config.plugins.entries).map((id) => [id, { enabled: false }]))
  const wanted = { ...off, testchannel: testPlugins.entries['testchannel'], ...entries }
  if (JSON.stringify(wanted) === JSON.stringify(config.plugins.entries)) return
  const raw = JSON.stringify({ ...config, plugins: { ...config.plugins, entries: wanted } })
  const { hash } = CURRENT.parse(await stage.rpc.call('config.get', {}))
  await stage.rpc.call('config.apply', { raw, baseHash: hash })
}

/** Sits down at the gateway of this run; the connection ends with the file. */
export const openStage = async (): Promise<Stage> => {
  const gateway = inject('gateway')
  const rpc = await connectRpc(gateway.port, gateway.token)
  afterAll(() => rpc.close())
  const place = { env: gateway.env, cwd: gateway.workspace }
  const count = { words: 0 }
  const fresh = (): string => {
    count.words += 1
    return `${Date.now().toString(36)}x${count.words}`
  }
  return {
    gateway,
    rpc,
    usePlugins: (entries) => applyEntries({ gateway, rpc }, entries),
    guardWith: (config) =>
      applyEntries({ gateway, rpc }, { sallyport: sallyportEntry({ data: gateway.data, ...config }) }),
    talk: (path) => startTalk(gateway, rpc, path, fresh()),
    freshWord: () => `word${fresh()}`,
    freshKey: () => ['ghp', '_', ...Array.from({ length: 36 }, () => LETTERS[randomInt(LETTERS.length)])].join(''),
    tracesOf: async (text) => ({
      model: await modelSaw(gateway, text),
      state: await searchState(gateway.state, text),
    }),
    sent: async () => {
      const lines = (await readFile(gateway.sentFile, 'utf8')).split('\n').filter((line) => line !== '')
      return lines.map((line) => SENT.parse(JSON.parse(line)))
    },
    cli: (...args) => runCli([...args, '--data', gateway.data], place),
    trace: (session) => readTrace(session, gateway.data, place),
  }
}
