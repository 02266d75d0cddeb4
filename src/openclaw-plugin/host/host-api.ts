/**
 * The smallest shape of OpenClaw's plugin API that this plugin uses: OpenClaw 2026.9.6, `OpenClawPluginApi` of
 * `openclaw/plugin-sdk/plugin-entry` and its hook types, with captured payloads. Hand-written, so that the host (647
 * MB) is not a dependency even for types. Optional members are really missing on some path of the host.
 */
import type { HookMap, HookName } from './host-hooks.ts'

/** How the host loaded the plugin (docs/plugins/sdk-entrypoints/registration-mode.md); only `full` may start anything. */
export type RegistrationMode = 'full' | 'discovery' | 'tool-discovery' | 'setup-only' | 'setup-runtime' | 'cli-metadata'

/** The host's log. */
export interface HostLogger {
  readonly debug?: (message: string) => void
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
  readonly error: (message: string) => void
}

/** A tool's answer to the model. The host always passes on `details`, which the model does not see. */
export interface ToolResult {
  readonly content: readonly ToolContent[]
  readonly details?: unknown
}

/** Text or a picture. */
export interface ToolContent {
  readonly type: string
  readonly text?: string
}

/** A tool for the model; every name must be in the manifest's `contracts.tools`. `parameters` is a JSON Schema. */
export interface AgentTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly execute: (callId: string, params: unknown, signal?: AbortSignal) => Promise<ToolResult>
}

/** The run of a tool: a factory is called once for each run, with its session. */
export interface ToolContext {
  readonly agentId?: string
  readonly sessionKey?: string
  readonly sessionId?: string
  readonly workspaceDir?: string
}

/** A tool, or one made for each run. */
export type ToolRegistration = AgentTool | ((context: ToolContext) => AgentTool | readonly AgentTool[] | null)

/** An error as a gateway method answers it. */
export interface GatewayError {
  readonly code: string
  readonly message: string
}

/** One call of a gateway method. */
export interface GatewayCall {
  readonly params: Readonly<Record<string, unknown>>
  readonly respond: (ok: boolean, payload?: unknown, error?: GatewayError) => void
  readonly signal?: AbortSignal
}

/** The part of a Commander command that the CLI of this plugin uses. */
export interface CliCommand {
  command(name: string): CliCommand
  description(text: string): CliCommand
  argument(name: string, text: string): CliCommand
  option(flags: string, text: string): CliCommand
  action(run: (...args: readonly unknown[]) => Promise<void> | void): CliCommand
}

/** What the host passes to a CLI registrar; `program` is the root `openclaw` command. */
export interface CliContext {
  readonly program: CliCommand
  readonly config: unknown
  readonly workspaceDir?: string
  readonly logger: HostLogger
}

/** A root command as the host's help shows it before the plugin is loaded. */
export interface CliDescriptor {
  readonly name: string
  readonly description: string
  readonly hasSubcommands: boolean
}

/** A slash command for people; it never reaches the model. */
export interface ChatCommand {
  readonly name: string
  readonly description: string
  readonly acceptsArgs?: boolean
  readonly requireAuth?: boolean
  readonly handler: (context: ChatCommandContext) => ChatReply | Promise<ChatReply>
}

/** Sender and arguments of a slash command. */
export interface ChatCommandContext {
  readonly args?: string
  readonly sessionKey?: string
  readonly senderId?: string
  readonly senderIsOwner?: boolean
}

/** What the person reads. */
export interface ChatReply {
  readonly text: string
}

/** A service that lives while the gateway runs; `start` and `stop` are called in `full` mode only. */
export interface HostService {
  readonly id: string
  readonly start: (context: ServiceContext) => void | Promise<void>
  readonly stop?: (context: ServiceContext) => void | Promise<void>
}

/** A service's folder. */
export interface ServiceContext {
  readonly config: unknown
  readonly stateDir: string
  readonly workspaceDir?: string
  readonly logger: HostLogger
}

/** A tool's result on its way to the model of the same turn, in this process or in Codex. */
export interface ToolResultEvent {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly cwd?: string
  readonly isError?: boolean
  readonly result: ToolResult
}

/** The call of a result. */
export interface ToolResultContext {
  readonly runtime: ToolResultRuntime
  readonly agentId?: string
  readonly sessionId?: string
  readonly sessionKey?: string
  readonly runId?: string
}

/** The loops that call the middleware; each must be in `contracts.agentToolResultMiddleware`. */
export type ToolResultRuntime = 'openclaw' | 'codex'

/** Changes a tool's result; one that throws makes the output unavailable to the model. */
export type ToolResultMiddleware = (
  event: ToolResultEvent,
  context: ToolResultContext,
) => Promise<{ readonly result: ToolResult } | undefined> | { readonly result: ToolResult } | undefined

/** Rewrites of whole texts: `input` before the model gets them, `output` before the host reads its answer. */
export interface TextTransforms {
  readonly input?: readonly TextReplacement[]
  readonly output?: readonly TextReplacement[]
}

/** One rewrite, as `String.replace` does it: typed as a string by the host, and called where it is a function. */
export interface TextReplacement {
  readonly from: string | RegExp
  readonly to: string | ((text: string) => string)
}

/** Input of the plugin's part of `openclaw security audit`. */
export interface SecurityAuditContext {
  readonly config: unknown
  readonly stateDir: string
  readonly configPath: string
}

/** One line of `openclaw security audit`. */
export interface SecurityAuditFinding {
  readonly checkId: string
  readonly severity: 'info' | 'warn' | 'critical'
  readonly title: string
  readonly detail: string
  readonly remediation?: string
}

/** Ends with the plugin instance: on reload, on disable, on shutdown. */
export interface HostLifecycle {
  readonly signal?: AbortSignal
  readonly onDispose?: (dispose: () => void | Promise<void>) => unknown
}

/** How a hook is registered: higher `priority` runs first, `timeoutMs` replaces the host's own deadline. */
export interface HookOptions {
  readonly priority?: number
  readonly timeoutMs?: number
}

/** Sends to a channel (docs/plugins/sdk-runtime/channel.md). */
export interface ChannelSender {
  readonly sendText?: (message: {
    /** The whole configuration of the host. */
    readonly cfg: unknown
    readonly to: string
    readonly text: string
    readonly accountId?: string
  }) => Promise<unknown>
}

/** The used part of the host's runtime; with some modes of loading all of it is missing. */
export interface HostRuntime {
  /** Version of the host. */
  readonly version?: string
  readonly config?: { readonly current?: () => unknown }
  readonly channel?: {
    readonly outbound?: { readonly loadAdapter: (channel: string) => Promise<ChannelSender | undefined> }
  }
}

/** What OpenClaw passes to `register(api)`. */
export interface OpenClawApi {
  readonly id: string
  readonly registrationMode: RegistrationMode
  /** `plugins.entries.<id>.config`, checked against the manifest's schema. */
  readonly pluginConfig?: Readonly<Record<string, unknown>>
  /** The whole configuration of the host. */
  readonly config: unknown
  readonly rootDir?: string
  readonly runtime?: HostRuntime
  readonly logger: HostLogger
  readonly lifecycle?: HostLifecycle
  on<K extends HookName>(name: K, handler: HookMap[K], options?: HookOptions): void
  registerTool(tool: ToolRegistration, options?: { readonly name?: string; readonly names?: readonly string[] }): void
  registerGatewayMethod(
    method: string,
    handler: (call: GatewayCall) => Promise<void> | void,
    options?: { readonly scope?: 'operator.read' | 'operator.write' | 'operator.admin' },
  ): void
  registerCli(
    registrar: (context: CliContext) => void | Promise<void>,
    options?: { readonly descriptors?: readonly CliDescriptor[] },
  ): void
  registerCommand(command: ChatCommand): void
  registerService(service: HostService): void
  registerAgentToolResultMiddleware(
    middleware: ToolResultMiddleware,
    options?: { readonly runtimes?: readonly ToolResultRuntime[] },
  ): void
  registerTextTransforms(transforms: TextTransforms): void
  registerSecurityAuditCollector(
    collect: (
      context: SecurityAuditContext,
    ) => readonly SecurityAuditFinding[] | Promise<readonly SecurityAuditFinding[]>,
  ): void
}

/** The part of it that protections register with. */
export type HookApi = Pick<OpenClawApi, 'on' | 'registerTextTransforms' | 'registerAgentToolResultMiddleware'> &
  Partial<Pick<OpenClawApi, 'config' | 'runtime'>>
