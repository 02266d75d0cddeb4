import type {
  HookOptions,
  HostService,
  OpenClawApi,
  TextTransforms,
  ToolResultMiddleware,
} from '../../src/openclaw-plugin/host/host-api.ts'

/** A hook as it was registered. */
export interface RegisteredHook {
  readonly name: string
  readonly run: (event: unknown, context: unknown) => unknown
  readonly options?: HookOptions | undefined
}

/** All that a call of `register(api)` has left behind. Nothing of the host's rules is in it. */
export interface Registered {
  readonly hooks: readonly RegisteredHook[]
  readonly middlewares: readonly ToolResultMiddleware[]
  readonly transforms: readonly TextTransforms[]
  readonly services: readonly HostService[]
  /** Names of tools, gateway methods, slash commands and registrars of the CLI. */
  readonly tools: readonly string[]
  readonly methods: readonly string[]
  readonly commands: readonly string[]
  readonly clis: number
  /** Lines of the host's log, `level: message`. */
  readonly log: readonly string[]
}

/** Calls a plugin's `register` once and keeps what it registers; `given` is what is special about this host. */
export const recordRegistration = (
  register: (api: OpenClawApi) => void,
  given: Partial<Pick<OpenClawApi, 'registrationMode' | 'pluginConfig' | 'config' | 'rootDir'>> = {},
): Registered => {
  const hooks: RegisteredHook[] = []
  const middlewares: ToolResultMiddleware[] = []
  const transforms: TextTransforms[] = []
  const services: HostService[] = []
  const [tools, methods, commands, log] = [[] as string[], [] as string[], [] as string[], [] as string[]]
  let clis = 0
  const logAs = (level: string) => (message: string) => void log.push(`${level}: ${message}`)
  register({
    id: 'sallyport',
    registrationMode: 'full',
    config: {},
    logger: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    on: (name, run, options) => void hooks.push({ name, run: run as RegisteredHook['run'], options }),
    registerTool: (_tool, { name = '' } = {}) => void tools.push(name),
    registerGatewayMethod: (method) => void methods.push(method),
    registerCli: () => void (clis += 1),
    registerCommand: ({ name }) => void commands.push(name),
    registerService: (service) => void services.push(service),
    registerAgentToolResultMiddleware: (middleware) => void middlewares.push(middleware),
    registerTextTransforms: (one) => void transforms.push(one),
    registerSecurityAuditCollector: () => undefined,
    ...given,
  })
  return { hooks, middlewares, transforms, services, tools, methods, commands, clis, log }
}
