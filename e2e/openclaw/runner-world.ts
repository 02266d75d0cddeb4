import { randomInt } from 'node:crypto'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { dataFiles } from '../../src/config/data-folder.ts'
import plugin from '../../src/openclaw-plugin/index.ts'
import type { ToolResult } from '../../src/openclaw-plugin/host/host-api.ts'
import { installedEntry } from '../install-client.ts'
import { POLICY_CEDAR, SALLYPORT_YAML } from './guard-config.ts'
import { openRealRunner, recordRegistration, type RealRunner } from './real-runner.ts'

/** A step that the guard has recorded. */
export interface Kept {
  readonly event: string
  readonly kind: string
  readonly decision: string
  /** The whole decision, as text. */
  readonly text: string
}

/** The plugin in the host's own hook runner. */
export interface RunnerWorld {
  readonly run: RealRunner['run']
  /** Hands a tool's result to the plugin's middleware; the host's own runner of these is not public. */
  readonly result: (text: string) => Promise<ToolResult>
  /** Ends the plugin and reads what it has kept. */
  readonly kept: () => Promise<readonly Kept[]>
  readonly log: readonly string[]
  readonly close: () => Promise<void>
}

/** Session of the events below. */
export const AT = { sessionKey: 'agent:main:runner', sessionId: 's', agentId: 'main', runId: 'run-1' } as const

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A token that looks live, made now. */
export const freshKey = (): string =>
  ['ghp', '_', ...Array.from({ length: 36 }, () => LETTERS[randomInt(LETTERS.length)])].join('')

const DECISION = z.looseObject({
  step: z.looseObject({ event: z.string(), kind: z.string() }),
  verdict: z.looseObject({ decision: z.string() }),
})

const readKept = (file: string): readonly Kept[] => {
  const store = new DatabaseSync(file, { readOnly: true })
  const rows = store.prepare(`SELECT body FROM events WHERE type = 'HookDecision' ORDER BY n`).all()
  store.close()
  return rows.map((row) => {
    const text = z.string().parse(row['body'])
    const { step, verdict } = DECISION.parse(JSON.parse(text))
    return { event: step.event, kind: step.kind, decision: verdict.decision, text }
  })
}

const ROOT = mkdtempSync(join(tmpdir(), 'sallyport-runner-'))
let worlds = 0

/** Gives this process a home of its own, which is removed when it ends; the host is still the one in the cache. */
export const useOwnHome = async (): Promise<void> => {
  const host = process.env['SALLYPORT_E2E_OPENCLAW'] ?? (await installedEntry('openclaw'))
  if (host === undefined) throw new Error('The host is not in the cache: `npm run e2e -- openclaw` puts it there.')
  const own = join(ROOT, '.config', 'sallyport')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'sallyport.yaml'), SALLYPORT_YAML)
  writeFileSync(join(own, 'policy.cedar'), POLICY_CEDAR)
  Object.assign(process.env, { HOME: ROOT, OPENCLAW_STATE_DIR: join(ROOT, 'state'), SALLYPORT_E2E_OPENCLAW: host })
  process.on('exit', () => {
    rmSync(ROOT, { recursive: true, force: true })
  })
}

/** Registers the plugin as the host does and opens its guard. */
export const openWorld = async (config: Readonly<Record<string, unknown>>): Promise<RunnerWorld> => {
  const data = join(ROOT, `data-${(worlds += 1)}`)
  const elsewhere = config['server'] !== undefined
  const registration = recordRegistration(plugin.register, {
    id: 'sallyport',
    pluginConfig: elsewhere ? config : { data, ...config },
  })
  const runner = await openRealRunner([registration])
  if (runner === undefined) throw new Error('The host is not in the cache.')
  const service = { config: {}, stateDir: ROOT, logger: console }
  for (const { start } of registration.services) await start(service)
  // The guard opens in parallel; requests wait for it.
  await registration.gatewayMethods.get('sallyport.scan')?.({ params: { prompt: 'hello' }, respond: () => {} })
  const end = async (): Promise<void> => {
    for (const { stop } of registration.services) await stop?.(service)
  }
  return {
    run: (hook, event, context) => runner.run(hook, event, context),
    log: registration.log,
    result: async (text) => {
      const result = { content: [{ type: 'text', text }], details: { aggregated: text } }
      const event = { toolCallId: 'c', toolName: 'exec', args: { command: 'env' }, result }
      let now: ToolResult = result
      for (const middleware of registration.middlewares)
        now = (await middleware({ ...event, result: now }, { runtime: 'openclaw', ...AT }))?.result ?? now
      return now
    },
    kept: async () => {
      await end()
      return readKept(dataFiles(data).trace)
    },
    close: async () => {
      await end()
      runner.close()
    },
  }
}
