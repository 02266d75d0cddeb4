import { isObject } from '../../../protocol/json.ts'
import { entryKey, isSameId } from './plugin-id.ts'
import { memberAt, namesIn } from './members.ts'

/** A finding in the host's configuration. */
export interface CoverageCheck {
  /** `gap`: something that cannot be guarded here, or is disabled; `fault`: a protection that does not work. */
  readonly outcome: 'ok' | 'gap' | 'fault'
  readonly found: string
  readonly advice?: string
}

/** The properties of the plugin that the host's configuration has to match. */
export interface Covered {
  readonly id: string
  /** Deadline of one verdict in milliseconds. */
  readonly deadlineMs: number
}

/** Deadline of a verdict in milliseconds where the plugin's settings do not set one. */
export const DEADLINE_MS = 8_000

/** Hooks that let a step pass when the host's timeout ends. */
const PASSING = ['before_dispatch', 'before_agent_reply', 'message_sending', 'reply_payload_sending'] as const
/** Runtimes of the host whose loop fires the hooks of a run. */
const OWN_RUNTIMES: readonly string[] = ['openclaw', 'auto', 'default']

const entryOf = (config: unknown, id: string): unknown => {
  const entries = memberAt(config, 'plugins', 'entries')
  return memberAt(entries, entryKey(entries, id))
}

const loaded = (config: unknown, id: string): readonly CoverageCheck[] => {
  const fault = (found: string, advice: string): CoverageCheck => ({ outcome: 'fault', found, advice })
  if (memberAt(config, 'plugins', 'enabled') === false)
    return [fault('All plugins are disabled: nothing is guarded.', 'Set plugins.enabled to true.')]
  if (namesIn(memberAt(config, 'plugins', 'deny')).some((name) => isSameId(name, id)))
    return [fault('plugins.deny names the plugin: it is not loaded.', `Remove ${id} from plugins.deny.`)]
  // An empty list allows everything.
  const allow = namesIn(memberAt(config, 'plugins', 'allow'))
  if (allow.length > 0 && !allow.some((name) => isSameId(name, id)))
    return [fault('plugins.allow does not name the plugin: it is not loaded.', `Add ${id} to plugins.allow.`)]
  if (memberAt(entryOf(config, id), 'enabled') !== true)
    return [fault('The plugin is not enabled.', `Set plugins.entries.${id}.enabled to true.`)]
  return [{ outcome: 'ok', found: 'The plugin is enabled.' }]
}

const permitted = (config: unknown, id: string): readonly CoverageCheck[] => {
  const entry = `plugins.entries.${id}.hooks`
  const hooks = memberAt(entryOf(config, id), 'hooks')
  const access: CoverageCheck =
    memberAt(hooks, 'allowConversationAccess') === true
      ? { outcome: 'ok', found: 'The plugin may read conversations.' }
      : {
          outcome: 'fault',
          found:
            'The plugin may not read conversations: over HTTP no message is refused, the agent is not warned or ' +
            'reminded, and what goes to the model is not recorded.',
          advice: `Set ${entry}.allowConversationAccess to true.`,
        }
  if (memberAt(hooks, 'allowPromptInjection') !== false) return [access]
  return [
    access,
    {
      outcome: 'fault',
      found: 'The plugin may not add to prompts: the agent is neither reminded nor warned.',
      advice: `Remove ${entry}.allowPromptInjection, or set it to true.`,
    },
  ]
}

/** The host's own limits override the plugin's, and a late hook then lets the step pass. */
const inTime = (config: unknown, { id, deadlineMs }: Covered): readonly CoverageCheck[] => {
  const hooks = memberAt(entryOf(config, id), 'hooks')
  const whole = memberAt(hooks, 'timeoutMs')
  return PASSING.flatMap((hook): readonly CoverageCheck[] => {
    const limit = memberAt(hooks, 'timeouts', hook) ?? whole
    if (typeof limit !== 'number' || limit > deadlineMs) return []
    return [
      {
        outcome: 'fault',
        found: `The host gives ${hook} ${limit} ms, but the guard may take up to ${deadlineMs} ms: late answers are ignored.`,
        advice: `Raise plugins.entries.${id}.hooks.timeouts.${hook}, or lower deadline_ms of the plugin.`,
      },
    ]
  })
}

/** Where a model's runtime can be named: for a provider, one of its models, or a model by its full name. */
const runtimesIn = (config: unknown): readonly (readonly [place: string, runtime: string])[] => {
  const found: (readonly [string, string])[] = []
  const look = (value: unknown, place: string): void => {
    if (!isObject(value)) return
    const id = memberAt(value, 'agentRuntime', 'id')
    if (typeof id === 'string') found.push([place, id])
    for (const [name, one] of Object.entries(value)) if (isObject(one)) look(one, `${place}.${name}`)
  }
  look(memberAt(config, 'models', 'providers'), 'models.providers')
  look(memberAt(config, 'agents'), 'agents')
  return found
}

const ownLoop = (config: unknown): readonly CoverageCheck[] =>
  runtimesIn(config)
    .filter(([, runtime]) => !OWN_RUNTIMES.includes(runtime))
    .map(([place, runtime]) => ({
      outcome: 'gap',
      found: `${place} runs its model with ${runtime}, which does not fire every hook of a run and whose own tools cannot be rewritten.`,
      advice: 'Use the runtime openclaw where every hook has to be guarded; see docs/hosts/openclaw.md.',
    }))

/** The plugin guards the gateway that loads it. */
const elsewhere = (config: unknown): readonly CoverageCheck[] =>
  memberAt(config, 'gateway', 'mode') === 'remote'
    ? [
        {
          outcome: 'gap',
          found: 'The gateway of this configuration runs on another machine: settings here guard nothing there.',
          advice: 'Install the plugin on that machine too.',
        },
      ]
    : []

/** What the host has no hook for, in any configuration. */
const UNHOOKED: readonly CoverageCheck[] = [
  {
    outcome: 'gap',
    found: 'openclaw agent exec fires no plugin hooks: what it runs is not guarded.',
    advice: 'Run agents through the gateway.',
  },
]

/** A file is read alone, without those that it includes, which may contain anything about plugins. */
const inOtherFiles = (config: unknown): readonly CoverageCheck[] =>
  [config, memberAt(config, 'plugins'), ...['load', 'entries'].map((name) => memberAt(config, 'plugins', name))].some(
    (one) => memberAt(one, '$include') !== undefined,
  )
    ? [
        {
          outcome: 'gap',
          found:
            'The configuration of plugins includes other files: they were not read, and the guard does not protect them.',
          advice: 'Keep plugins in openclaw.json itself.',
        },
      ]
    : []

/** The guard's coverage, as far as the host's configuration shows it. */
export const coverageOf = (config: unknown, covered: Covered): readonly CoverageCheck[] => [
  ...inOtherFiles(config),
  ...loaded(config, covered.id),
  ...permitted(config, covered.id),
  ...inTime(config, covered),
  ...ownLoop(config),
  ...elsewhere(config),
  ...UNHOOKED,
]
