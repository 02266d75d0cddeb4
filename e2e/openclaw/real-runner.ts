/**
 * The host's own hook runner without a gateway, for tests of the plugin: the real merging, deadlines and failing open or
 * closed. Its import takes about a second; it is one to a process, so tests in one process use it one after the other.
 */
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type {
  AgentTool,
  ChatCommand,
  GatewayCall,
  HostService,
  OpenClawApi,
  RegistrationMode,
  ToolRegistration,
  ToolResultMiddleware,
} from '../../src/openclaw-plugin/host/host-api.ts'
import { installedEntry } from '../install-client.ts'

/** A hook as the host keeps it. */
interface TypedHook {
  readonly pluginId: string
  readonly hookName: string
  readonly handler: unknown
  readonly source: string
  readonly priority?: number
  readonly timeoutMs?: number
}

/** All that a plugin has registered, as the host would hold it. */
export interface Registration {
  readonly typedHooks: readonly TypedHook[]
  readonly middlewares: readonly ToolResultMiddleware[]
  readonly tools: readonly ToolRegistration[]
  readonly gatewayMethods: ReadonlyMap<string, (call: GatewayCall) => Promise<void> | void>
  readonly commands: readonly ChatCommand[]
  readonly services: readonly HostService[]
  /** Lines of the host's log, `level: message`. */
  readonly log: readonly string[]
  /** Ends the plugin's instance, as a reload would. */
  dispose(): Promise<void>
}

/** What `register(api)` is called with. */
export interface RegistrationOptions {
  readonly id: string
  readonly pluginConfig?: Readonly<Record<string, unknown>>
  readonly mode?: RegistrationMode
  /** The host's whole configuration. */
  readonly config?: unknown
}

/** Calls a plugin's `register` once and keeps what it registers. */
export const recordRegistration = (
  register: (api: OpenClawApi) => void,
  options: RegistrationOptions,
): Registration => {
  const typedHooks: TypedHook[] = []
  const middlewares: ToolResultMiddleware[] = []
  const tools: ToolRegistration[] = []
  const gatewayMethods = new Map<string, (call: GatewayCall) => Promise<void> | void>()
  const commands: ChatCommand[] = []
  const services: HostService[] = []
  const log: string[] = []
  const ending = new AbortController()
  const disposers: (() => void | Promise<void>)[] = []
  const logAs = (level: string) => (message: string) => void log.push(`${level}: ${message}`)
  register({
    id: options.id,
    registrationMode: options.mode ?? 'full',
    pluginConfig: options.pluginConfig ?? {},
    config: options.config ?? {},
    logger: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    lifecycle: { signal: ending.signal, onDispose: (dispose) => disposers.push(dispose) },
    on: (hookName, handler, hookOptions = {}) =>
      void typedHooks.push({ pluginId: options.id, hookName, handler, source: options.id, ...hookOptions }),
    registerTool: (tool) => void tools.push(tool),
    registerGatewayMethod: (method, handler) => void gatewayMethods.set(method, handler),
    registerCli: () => {},
    registerCommand: (command) => void commands.push(command),
    registerService: (service) => void services.push(service),
    registerAgentToolResultMiddleware: (middleware) => void middlewares.push(middleware),
    registerTextTransforms: () => {},
    registerSecurityAuditCollector: () => {},
  })
  return {
    typedHooks,
    middlewares,
    tools,
    gatewayMethods,
    commands,
    services,
    log,
    dispose: async () => {
      ending.abort()
      for (const dispose of disposers) await dispose()
    },
  }
}

/** The tools that a registration gives to the model of a session. */
export const toolsOf = (registration: Registration, sessionKey: string): readonly AgentTool[] =>
  registration.tools.flatMap((tool) => (typeof tool === 'function' ? (tool({ sessionKey }) ?? []) : tool))

/** The host's runner over some registrations. */
export interface RealRunner {
  /** Runs a hook through the host's own rules; throws where the host would stop the step. */
  run(hookName: string, event: unknown, context: unknown): Promise<unknown>
  hasHooks(hookName: string): boolean
  close(): void
}

type HostRunner = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>

const HOOK_RUNTIME = z.looseObject({
  initializeGlobalHookRunner: z.custom<(registry: unknown) => void>((value) => typeof value === 'function'),
  resetGlobalHookRunner: z.custom<() => void>((value) => typeof value === 'function'),
})
const PLUGIN_RUNTIME = z.looseObject({
  getGlobalHookRunner: z.custom<() => HostRunner>((value) => typeof value === 'function'),
})

const runName = (hookName: string): string =>
  `run${hookName.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/**
 * Opens the host's runner; undefined when the host is not in the cache (`npm run e2e -- openclaw` puts it there), which
 * a test says loudly.
 */
export const openRealRunner = async (registrations: readonly Registration[]): Promise<RealRunner | undefined> => {
  const entry = process.env['SALLYPORT_E2E_OPENCLAW'] ?? (await installedEntry('openclaw'))
  if (entry === undefined) return undefined
  const load = async (name: string): Promise<unknown> =>
    import(pathToFileURL(join(dirname(entry), 'dist', 'plugin-sdk', name)).href)
  const hooks = HOOK_RUNTIME.parse({ ...((await load('hook-runtime.js')) as object) })
  const runtime = PLUGIN_RUNTIME.parse({ ...((await load('plugin-runtime.js')) as object) })
  const typedHooks = registrations.flatMap((registration) => registration.typedHooks)
  const ids = new Set(typedHooks.map(({ pluginId }) => pluginId))
  hooks.initializeGlobalHookRunner({
    hooks: [],
    typedHooks,
    plugins: [...ids].map((id) => ({ id, status: 'loaded' })),
    trustedToolPolicies: [],
  })
  const runner = runtime.getGlobalHookRunner()
  return {
    run: async (hookName, event, context) => {
      const run = runner[runName(hookName)]
      if (run === undefined) throw new Error(`The host runs no hook named ${hookName}.`)
      return run(event, context)
    },
    hasHooks: (hookName) => runner['hasHooks']?.(hookName) === true,
    close: () => hooks.resetGlobalHookRunner(),
  }
}
