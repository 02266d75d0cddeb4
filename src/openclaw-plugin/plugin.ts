import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import process from 'node:process'
import { SallyportError } from '../errors.ts'
import { createAsker } from './asker.ts'
import { closeGate } from './closed-gate.ts'
import { createServerSource } from './guard-server.ts'
import { createSourceHere } from './guard-here.ts'
import type { SourceHere } from './guard-here.ts'
import type { OpenClawApi } from './host-api.ts'
import { createLedger } from './ledger.ts'
import { openHere } from './open-here.ts'
import { processShared, releaseShared } from './process-shared.ts'
import { audit } from './protections/audit.ts'
import { context } from './protections/context.ts'
import { guard } from './protections/guard.ts'
import { inboundBlock } from './protections/inbound-block.ts'
import { llmAudit } from './protections/llm-audit.ts'
import { outboundBlock } from './protections/outbound-block.ts'
import { outbound } from './protections/outbound.ts'
import { promptScan } from './protections/prompt-scan.ts'
import type { Protect } from './protections/protection.ts'
import { toolAudit } from './protections/tool-audit.ts'
import { toolGuard } from './protections/tool-guard.ts'
import { toolRedact } from './protections/tool-redact.ts'
import { tools } from './protections/tools.ts'
import type { Protection } from './modes.ts'
import { createScanCache } from './scan-cache.ts'
import type { Scene } from './scene.ts'
import { readSettings, recordsFolder, stateFolder } from './settings.ts'
import type { PluginSettings } from './settings.ts'
import { createWithheld } from './withheld.ts'

/** Every protection with a mode of its own; the reminder comes beside them. */
const PROTECT: Readonly<Record<Protection, Protect>> = {
  'inbound-block': inboundBlock,
  audit,
  context,
  'prompt-scan': promptScan,
  'tool-guard': toolGuard,
  tools,
  'tool-redact': toolRedact,
  'tool-audit': toolAudit,
  'outbound-block': outboundBlock,
  outbound,
  'llm-audit': llmAudit,
}

/** What all registrations with the same settings share, and how it ends. */
interface Shared {
  readonly scene: Scene
  readonly here: SourceHere
  close(): Promise<void>
}

const openShared = (settings: PluginSettings, api: OpenClawApi): Shared => {
  const { env } = process
  const now = (): number => Date.now()
  const log = (message: string): void => {
    api.logger.warn(message)
  }
  const data = recordsFolder(settings, stateFolder(env, homedir()))
  const here = createSourceHere({
    open: () =>
      openHere({ data, env, home: homedir(), log, ...(api.rootDir === undefined ? {} : { own: [api.rootDir] }) }),
    now,
    makeId: () => randomUUID(),
  })
  const server = settings.server === undefined ? undefined : createServerSource(settings.server, env)
  const { deadlineMs, failClosed } = settings
  return {
    here,
    scene: {
      settings,
      asker: createAsker({ source: server ?? here, instant: here, deadlineMs, failClosed, log }),
      ledger: createLedger({ now }),
      cache: createScanCache({ now }),
      withheld: createWithheld(),
      instant: () => server === undefined && here.instant(),
      folders: new Map(),
      log,
    },
    async close() {
      server?.close()
      await here.close()
    },
  }
}

/** Modes of registration in which hooks are fired; in the others the host only wants to know what there is. */
const FIRED: readonly string[] = ['full', 'discovery', 'tool-discovery']

const settingsOf = (api: OpenClawApi): PluginSettings | SallyportError => {
  try {
    return readSettings(api.pluginConfig)
  } catch (error) {
    if (error instanceof SallyportError) return error
    throw error
  }
}

/** Registers what the settings ask for. Wrong settings close the gate: no run and no tool call until they are mended. */
export const registerPlugin = (api: OpenClawApi): void => {
  const settings = settingsOf(api)
  if (settings instanceof SallyportError) {
    api.logger.error(settings.message)
    if (FIRED.includes(api.registrationMode)) closeGate(api, settings.message)
    return
  }
  if (!FIRED.includes(api.registrationMode)) return
  const key = JSON.stringify(settings)
  const shared = (): Shared => processShared(key, () => openShared(settings, api))
  const { scene, here } = shared()
  for (const [name, protect] of Object.entries(PROTECT) as [Protection, Protect][])
    if (settings.modes[name] === 'deterministic') protect(api, scene)
  if (settings.reminder) guard(api, scene)
  if (api.registrationMode !== 'full') return
  api.registerService({
    id: 'sallyport',
    start: () => {
      here.begin()
    },
    stop: async () => {
      await (releaseShared(key) as Shared | undefined)?.close()
    },
  })
}
