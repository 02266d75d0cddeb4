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
  /** Whether all guardians answer at once: then what was decided synchronously is all there is to say. */
  readonly instant: () => boolean
  /** Folders that agents work in, by the key of their session. */
  readonly folders: BoundedMap<string, string>
  readonly log: (message: string) => void
}

/** The host's second argument, as far as steps are made of it. */
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
  /** What began the run; only hooks of runs tell it. */
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

/** Folders that are remembered. */
export const FOLDERS_KEPT = 1_000

/** Session of an event: the one name that the host's hooks share. */
export const sessionOf = (event: { readonly sessionKey?: string }, context: HookContext): string =>
  context.sessionKey ?? event.sessionKey ?? context.sessionId ?? context.conversationId ?? 'unattached'

/** Beside a session: what others have said in it, which would count as the person's word in the session itself. */
export const contextSession = (session: string): string => `${session}#sallyport-context`

/** As JSON: the host's objects hold functions and signals, too. What cannot be told as JSON is no event, and refused. */
export const plain = (value: unknown): JsonObject => {
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject
  } catch {
    return {}
  }
}

/** Only some hooks tell the folder; it is remembered for those that do not. */
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
