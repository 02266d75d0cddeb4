import { fileURLToPath } from 'node:url'

/** The settings of a gateway of these tests; all its files are in a folder of its own. */
export interface GatewayPlace {
  readonly port: number
  readonly token: string
  readonly modelUrl: string
  readonly workspace: string
  readonly logFile: string
}

/** An entry of `plugins.entries` of the host's configuration. */
export interface PluginEntry {
  readonly enabled: boolean
  readonly hooks?: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
}

/** The plugins a gateway knows: folders to load from, and the entries by id. */
export interface PluginSetup {
  readonly folders: readonly string[]
  readonly entries: Readonly<Record<string, PluginEntry>>
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const MODEL = { id: 'm1', name: 'm1', reasoning: false, input: ['text'], cost: FREE }

/** Whom the host knows on the channel as its owners; commands of anybody else are words like others. */
export const OWNERS: readonly string[] = Array.from({ length: 32 }, (_, at) => `theowner${at}`)
/** An owner of whom one test alone asks something: the host sends its owners messages of its own, too. */
export const ASKED_OWNER = 'theaskedowner'

/** The channel that stands for a messaging network, and the plugins that show the old ways (off until switched on). */
export const testPlugins: PluginSetup = {
  folders: ['test-channel', 'old-ways'].map((name) => fileURLToPath(new URL(name, import.meta.url))),
  entries: { testchannel: { enabled: true }, 'old-ways': { enabled: false } },
}

/** The token of the gateway's webhooks, which must not be that of the gateway. */
export const hookToken = (token: string): string => `${token}-hooks`

/** The host's `openclaw.json`. */
export const gatewayConfig = (place: GatewayPlace, plugins: PluginSetup) => ({
  models: {
    mode: 'replace',
    providers: {
      scripted: {
        baseUrl: place.modelUrl,
        apiKey: 'not-a-key',
        api: 'openai-completions',
        models: [{ ...MODEL, contextWindow: 128_000, maxTokens: 4096 }],
      },
    },
  },
  agents: { defaults: { model: { primary: 'scripted/m1' }, workspace: place.workspace, skipBootstrap: true } },
  plugins: {
    enabled: true,
    load: { paths: plugins.folders },
    allow: Object.keys(plugins.entries),
    entries: plugins.entries,
  },
  // Without tool search the model is shown every tool by its own name.
  tools: { toolSearch: false, exec: { host: 'gateway', security: 'full', ask: 'off' } },
  gateway: {
    mode: 'local',
    port: place.port,
    bind: 'loopback',
    auth: { mode: 'token', token: place.token },
    http: { endpoints: { chatCompletions: { enabled: true }, responses: { enabled: true } } },
    controlUi: { enabled: false },
  },
  hooks: {
    enabled: true,
    token: hookToken(place.token),
    allowedAgentIds: ['main'],
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ['hook:', 'agent:main:'],
  },
  skills: { install: { allowUploadedArchives: true } },
  channels: { testchannel: { token: 'not used' } },
  commands: { ownerAllowFrom: [...OWNERS, ASKED_OWNER].flatMap((owner) => [owner, `testchannel:${owner}`]) },
  logging: { file: place.logFile },
})
