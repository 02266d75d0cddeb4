import type { HookCall } from '../../hosts/openclaw/host.ts'
import type { EventName } from '../../hosts/openclaw/events.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { DecisionClient } from '../guard/decision-client.ts'
import type { DecisionCache } from './decision-cache.ts'
import type { ScanCache } from '../scan/scan-cache.ts'
import type { PluginSettings } from '../settings/settings.ts'
import type { BoundedMap } from '../../bounded/bounded-map.ts'
import type { Seams } from './seams.ts'
import type { TrafficMonitor } from './traffic-monitor.ts'
import type { WithheldTexts } from './withheld-texts.ts'

/** What all protections share. One context serves all registrations of the plugin in a process. */
export interface ProtectionContext {
  readonly settings: PluginSettings
  readonly decisions: DecisionClient
  readonly decisionCache: DecisionCache
  readonly cache: ScanCache
  readonly withheld: WithheldTexts
  readonly seams: Seams
  readonly traffic: TrafficMonitor
  /** Whether all guardians answer at once: then a synchronous decision is complete. */
  readonly instant: () => boolean
  /** Working folders of agents, by the key of their session. */
  readonly folders: BoundedMap<string, string>
  readonly log: (message: string) => void
}

/** The host's second argument, as far as steps use it. */
export interface HookContext {
  readonly sessionKey?: string
  readonly sessionId?: string
  readonly runId?: string
  readonly agentId?: string
  readonly workspaceDir?: string
  readonly senderId?: string
  readonly conversationId?: string
  readonly toolName?: string
  readonly toolKind?: string
  readonly toolCallId?: string
  readonly trace?: unknown
  /** The trigger of the run; only in hooks of runs. */
  readonly trigger?: string
}

const CONTEXT_MEMBERS = [
  'sessionKey',
  'sessionId',
  'runId',
  'agentId',
  'workspaceDir',
  'senderId',
  'conversationId',
  'toolName',
  'toolKind',
  'toolCallId',
  'trace',
] as const satisfies readonly (keyof HookContext)[]

/** Limit of stored folders. */
export const FOLDERS_KEPT = 1_000

/** Session of an event: the one name that the host's hooks share. */
export const sessionOf = (event: { readonly sessionKey?: string }, context: HookContext): string =>
  context.sessionKey ?? event.sessionKey ?? context.sessionId ?? context.conversationId ?? 'unattached'

/** A session beside the given one, for texts of others, which would count as the person's in the session itself. */
export const contextSession = (session: string): string => `${session}#sallyport-context`

/**
 * As JSON: the host's objects also contain functions and signals. Anything that cannot be JSON is not an event, and
 * refused.
 */
export const plain = (value: unknown): JsonObject => {
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject
  } catch {
    return {}
  }
}

/** Only some hooks have the folder; it is stored for the others. */
const folderOf = ({ folders }: ProtectionContext, session: string, context: HookContext): string | undefined => {
  const folder = context.workspaceDir
  if (folder === undefined) return folders.get(session)
  folders.set(session, folder)
  return folder
}

/** A hook call as the adapter reads it. */
export const callOf = (
  shared: ProtectionContext,
  hook: EventName,
  event: object,
  context: HookContext,
  watch = false,
): HookCall => {
  const session = sessionOf(event, context)
  const workspaceDir = folderOf(shared, session, context)
  const members = CONTEXT_MEMBERS.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]]]))
  return {
    hook,
    event: plain(event),
    context: plain({
      ...(Object.fromEntries(members) as object),
      ...(workspaceDir === undefined ? {} : { workspaceDir }),
    }),
    ...(watch ? { watch } : {}),
  }
}
