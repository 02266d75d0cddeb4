import { isObject } from '../../../protocol/json.ts'
import { isOurs } from './wiring.ts'

/** Something that a repository's files make the client do. */
export interface Brought {
  /** Differs when the content differs. */
  readonly key: string
  /** For people, without values that may be secret. */
  readonly description: string
}

/** What a repository's files bring. */
export interface RepositoryFindings {
  /** Reaches the guard, its hooks or every program that the client starts: refused until a person accepts it. */
  readonly holds: readonly Brought[]
  /** Programs that honest repositories bring too: reported to the person once. */
  readonly programs: readonly Brought[]
}

/**
 * Variables that load code before a program's own, redirect programs or traffic, or wrap what the client runs. Those
 * that only configure a program of the project (`NODE_ENV`, `PYTHONPATH`, `JAVA_HOME`) are not included.
 */
const REACHES =
  /^(?:NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_\w+)|LD_\w+|DYLD_\w+|SSLKEYLOGFILE|SSL_CERT_\w+|SALLYPORT_\w+|XDG_(?:CONFIG|DATA|RUNTIME)_\w+|HOME|USERPROFILE|APPDATA|PATH|PATHEXT|COMSPEC|SHELL|BASH_ENV|BASH_FUNC\w*|ENV|ZDOTDIR|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|(?:HTTPS?|ALL|NO)_PROXY|CLAUDE_CONFIG_DIR|CLAUDE_CODE_(?:\w*SHELL\w*|GIT_BASH_PATH|\w*PREFIX|USE_\w+|SKIP_\w+|API_\w+|\w*CERT\w*|SIMPLE)|CLAUDE_ENV_FILE|(?:ANTHROPIC|AWS|VERTEX|BEDROCK)_\w*BASE_URL|ANTHROPIC_(?:API_KEY|AUTH_TOKEN|CUSTOM_HEADERS|UNIX_SOCKET)|GIT_(?:SSH\w*|EXTERNAL_DIFF|PROXY_COMMAND|EXEC_PATH|CONFIG\w*|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER|TEMPLATE_DIR)|SSH_ASKPASS|PYTHON(?:STARTUP|HOME|BREAKPOINT)|PERL5(?:OPT|DB)|RUBYOPT|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|npm_config_(?:script_shell|node_options|globalconfig|userconfig|shell|registry)|BUN_OPTIONS|(?:\w*_)?(?:EDITOR|VISUAL|PAGER|BROWSER))$/i

/** Members by which the client runs a program for credentials or headers and trusts its output. */
const HELPERS = [
  'apiKeyHelper',
  'proxyAuthHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'otelHeadersHelper',
]
/** Members by which the client runs a program to show something. */
const SHOWN = ['statusLine', 'subagentStatusLine', 'fileSuggestion']

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])
const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts)

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** The command or address of a hook or a server, without headers and variables, which may contain tokens. */
const commandOf = (value: unknown): string => {
  const { command, args, url, prompt } = membersOf(value)
  const first = command ?? url ?? prompt
  const words = [first, ...listOf(args)].filter((word) => typeof word === 'string')
  return short(words.join(' ').replaceAll(/\s+/g, ' '))
}

const parsed = (text: string | undefined): Readonly<Record<string, unknown>> => {
  if (text === undefined || text.trim() === '') return {}
  try {
    return membersOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const handlersOf = (hooks: unknown): readonly (readonly [event: string, handler: unknown])[] =>
  Object.entries(membersOf(hooks)).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) =>
      listOf(membersOf(group)['hooks']).map((handler): readonly [string, unknown] => [event, handler]),
    ),
  )

/** What a settings file of a repository brings. */
export const repositoryFindings = (text: string | undefined): RepositoryFindings => {
  const value = parsed(text)
  const handlers = handlersOf(value['hooks'])
  // `install --scope project` writes the guard's certificate beside the guard's hooks.
  const isInstalled = handlers.some(([, handler]) => isOurs(handler))
  const env = Object.entries(membersOf(value['env'])).filter(
    ([name]) => REACHES.test(name) && !(isInstalled && name === 'NODE_EXTRA_CA_CERTS'),
  )
  const set = (names: readonly string[]): readonly string[] => names.filter((name) => value[name] !== undefined)
  const strangers = handlers.filter(([, handler]) => !isOurs(handler))
  const enabled = listOf(value['enabledMcpjsonServers'])
  return {
    holds: [
      ...env.map(([name, to]) => ({ key: keyOf('env', name, to), description: `env.${name} is set` })),
      ...set(HELPERS).map((name) => ({ key: keyOf(name, value[name]), description: `${name} runs a program` })),
    ],
    programs: [
      ...strangers.map(([event, handler]) => ({
        key: keyOf('hook', event, handler),
        description: `a ${event} hook: ${commandOf(handler)}`,
      })),
      ...set(SHOWN).map((name) => ({
        key: keyOf(name, value[name]),
        description: `${name}: ${commandOf(value[name])}`,
      })),
      ...(value['enableAllProjectMcpServers'] === true
        ? [{ key: keyOf('mcp', true), description: 'all MCP servers of .mcp.json are enabled' }]
        : []),
      ...enabled.map((name) => ({
        key: keyOf('mcp', name),
        description: `the MCP server ${short(String(name))} is enabled`,
      })),
    ],
  }
}

/** What `.mcp.json` of a repository brings: programs that the client starts once their servers are enabled. */
export const repositoryServers = (text: string | undefined): readonly Brought[] =>
  Object.entries(membersOf(parsed(text)['mcpServers'])).map(([name, server]) => ({
    key: keyOf('server', name, server),
    description: `the MCP server ${short(name)}: ${commandOf(server)}`,
  }))
