import type { OpenGuardOptions } from '../../assembly/guard-parts.ts'
import type { LocalGuard } from './local-guard.ts'
import { configFileOf, environmentFilesOf } from '../../hosts/openclaw/setup/places.ts'
import { isObject } from '../../protocol/json.ts'
import type { OpenClawApi } from '../host/host-api.ts'

type Env = LocalGuardOptions['env']

/** The gateway's default port (docs/gateway/configuration). */
const GATEWAY_PORT = 18_789

/**
 * The parts of the gateway that the guard protects: its settings, the files that set its environment at start (they
 * could name other settings), the plugin's own folder, and its control address.
 */
export const surfaceOf = (
  { rootDir, config }: Pick<OpenClawApi, 'rootDir' | 'config'>,
  env: Env,
  home: string,
): Pick<LocalGuardOptions, 'own' | 'port'> => {
  const gateway = isObject(config) && isObject(config['gateway']) ? config['gateway'] : {}
  const { port } = gateway
  return {
    own: [configFileOf(env, home), ...environmentFilesOf(env, home), ...(rootDir === undefined ? [] : [rootDir])],
    port: typeof port === 'number' ? port : GATEWAY_PORT,
  }
}

/**
 * The environment of the guard in the gateway. The host also takes variables from a `.env` in its working directory
 * (2026.9.6), where agents may write: none of them may move the person's configuration. The host itself lets no such
 * file set HOME, XDG_CONFIG_HOME or its own variables.
 */
export const guardEnvironment = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SALLYPORT_CONFIG_HOME'))

/** Options of a guard in the gateway. */
export interface LocalGuardOptions {
  /** Folder of its records, absolute. */
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The plugin's folder and the host's settings, which no agent may change. */
  readonly own: readonly string[]
  /** Port of the gateway, which agents may not control. */
  readonly port: number
  /** Remote scanners that the plugin's own settings name. */
  readonly guardians?: OpenGuardOptions['guardians']
  readonly log: (message: string) => void
}

/** Opens a guard in this process. Its code is loaded only here: the host evaluates the plugin many times. */
export const openLocalGuard = async ({
  data,
  env,
  home,
  own,
  port,
  guardians,
  log,
}: LocalGuardOptions): Promise<LocalGuard> => {
  const { openGuard } = await import('../../assembly/open-guard.ts')
  const guard = await openGuard({
    data,
    env,
    home,
    own,
    port,
    ...(guardians === undefined ? {} : { guardians }),
    warn: (warning) => {
      log(JSON.stringify(warning))
    },
    fault: (error) => {
      log(`fault: ${error instanceof Error ? error.message : 'unknown'}`)
    },
  })
  // Texts without a session: names in one of them do not count for the next.
  let aside = guard.apart()
  let of = guard.config()
  return {
    judge: guard.judge,
    judgeNow: guard.judgeNow,
    instant: guard.instant,
    recordRejection: guard.recordRejection,
    recordGaps: (gaps) => guard.recordNotice('HostGaps', { host: 'openclaw', gaps: [...gaps] }),
    close: guard.close,
    assess(step, power) {
      if (guard.config() !== of) {
        of = guard.config()
        aside = guard.apart()
      }
      return aside.guard.decideNow(step, power)
    },
  }
}
