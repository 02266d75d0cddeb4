import type { EffectKind, Target } from '../../protocol/evidence.ts'
import type { GuardSurface } from './analysis.ts'
import type { PathTarget, Paths } from './paths.ts'

/** Says which effects reach the guard itself. */
export interface GuardRules {
  /** Whether an effect of this kind on these targets tampers with the guard; gives the targets that do. */
  touched(kind: EffectKind, targets: readonly Target[]): readonly Target[]
  isPid(pid: number): boolean
  isPort(port: string): boolean
}

const CHANGES: readonly EffectKind[] = ['fs.write', 'fs.delete', 'fs.permission', 'device.write']
const NET: readonly EffectKind[] = ['net.fetch', 'net.send', 'net.listen']

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|0|\[?::1?\]?|\[?::ffff:(?:127\.|7f00:).*)$/

/** `host:port` with every name of this machine written the same way. */
const normalAddress = (address: string): string => {
  const at = address.lastIndexOf(':')
  const [host, port] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)]
  return `${LOOPBACK.test(host.toLowerCase()) ? '127.0.0.1' : host.toLowerCase()}:${port}`
}

/**
 * Files of the data folder that let their reader speak for a host or for a person; the folder, or a pattern in it, holds
 * them. So does OpenClaw's configuration: with the gateway's token in it, its reader may change all of it.
 */
const SECRETS =
  /\/(?:token|approver-token|acs-secret|(?:labels|seal|checkpoint)\.key|approvals\.db(?:-\w+)?|openclaw\.json5?)$|\/signing-keys(?:\/|$)|\/sallyport\/[^/]*[*?[{][^/]*$|\/share\/sallyport$/i

/** The same by their names, for data folders of any name. */
const SECRET_NAMES =
  /^(?:token|approver-token|acs-secret|(?:labels|seal|checkpoint)\.key|signing-keys|approvals\.db(?:-\w+)?)$/

/** Whether reading this file's content, or all that lies in this folder, gives the guard's own secrets away. */
export const isGuardSecret = ({ zone, path }: PathTarget, paths: Pick<Paths, 'guardBelow'>): boolean =>
  zone === 'guard' && (SECRETS.test(path) || paths.guardBelow(path, SECRET_NAMES).length > 0)

/** Settings of one host: the files it keeps them in, and the words in them that can take the guard out of the way. */
interface HostSettings {
  readonly files: RegExp
  readonly switches: RegExp
}

const CLAUDE_CODE: HostSettings = {
  files:
    /(?:\/\.claude\/(?:settings[^/]*\.json|hooks(?:\/|$))|\/(?:etc\/claude-code|application support\/claudecode)(?:\/|$)|managed-(?:settings|mcp)(?:\.json|\.d\/))/i,
  switches:
    /hooks|allowManagedHooksOnly|allowedHttpHookUrls|httpHookAllowedEnvVars|"?env"?\s*:|apiKeyHelper|sallyport/i,
}

/** OpenClaw 2026.9.6: its configuration, and the approvals it remembers. */
const OPENCLAW: HostSettings = {
  files: /\/\.openclaw(?:-[^/]+)?\/(?:openclaw\.json5?|exec-approvals\.json)$/i,
  switches: /\bplugins?\b|hooks|allowConversationAccess|sallyport|approvals|\$include/i,
}

/** Where OpenClaw keeps the guard's own plugin; its workspaces may be about anything. */
const GUARD_PLUGIN = /\/\.openclaw(?:-[^/]+)?\/(?!workspace)(?:.*\/)?[^/]*sallyport[^/]*(?:\/|$)/i

const HOST_SETTINGS: readonly HostSettings[] = [CLAUDE_CODE, OPENCLAW]

const unescaped = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The words that can take the guard out of the way in a file, where a host keeps its settings there. */
export const switchesOf = (path: string): RegExp | undefined =>
  HOST_SETTINGS.find(({ files }) => files.test(path))?.switches

/** Whether text for a host's settings names a switch that can take the guard out of the way. */
export const namesSwitch = (text: string, switches: RegExp = CLAUDE_CODE.switches): boolean =>
  switches.test(unescaped(text))

/** The rules for one analysis. */
export const createGuardRules = (surface: GuardSurface, paths: Paths): GuardRules => {
  const addresses = new Set(surface.addresses.map(normalAddress))
  const pids = new Set(surface.pids)
  const ports = new Set(surface.addresses.map((address) => address.slice(address.lastIndexOf(':') + 1)))
  const isGuarded = (kind: EffectKind, target: PathTarget): boolean =>
    target.zone === 'guard' ||
    GUARD_PLUGIN.test(target.path) ||
    (kind === 'fs.delete' && target.zone !== 'unresolved' && paths.holdsGuard(target.path))
  return Object.freeze({
    touched: (kind: EffectKind, targets: readonly Target[]) => {
      if (CHANGES.includes(kind)) return targets.filter((target) => target.type === 'path' && isGuarded(kind, target))
      if (NET.includes(kind))
        return targets.filter(
          (target) =>
            (target.type === 'host' && addresses.has(normalAddress(target.host))) ||
            (target.type === 'path' && target.zone === 'guard'),
        )
      return []
    },
    isPid: (pid: number) => pids.has(pid),
    isPort: (port: string) => ports.has(port),
  })
}
