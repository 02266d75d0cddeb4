import type { OpenGuardOptions } from '../../assembly/open-guard.ts'
import type { LocalGuard } from './local-guard.ts'
import { configFileOf, environmentFilesOf } from '../../hosts/openclaw/setup/places.ts'
import { isObject } from '../../protocol/json.ts'
import type { OpenClawApi } from '../host/host-api.ts'

type Env = LocalGuardOptions['env']

/** Where the gateway listens unless it is told otherwise (docs/gateway/configuration). */
const GATEWAY_PORT = 18_789

/**
 * The gateway as far as it is the guard's too: its settings, the files that set its environment when it starts (they
 * could name other settings), the plugin's own folder, and where it can be told what to do.
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
 * The environment that the guard in the gateway goes by. The host takes variables also from a `.env` in the folder that
 * it was started in (2026.9.6), where agents may write: none of them is to say where the person's configuration lies.
 * The host itself lets no such file set HOME, XDG_CONFIG_HOME or its own variables.
 */
export const guardEnvironment = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SALLYPORT_CONFIG_HOME'))

/** Where and for whom a guard is opened in the gateway. */
export interface LocalGuardOptions {
  /** Folder of its records, absolute. */
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The plugin's folder and the host's settings, which no agent may change. */
  readonly own: readonly string[]
  /** Port of the gateway, which no agent may tell what to do. */
  readonly port: number
  /** Scanners elsewhere that the plugin's own settings name. */
  readonly guardians?: OpenGuardOptions['guardians']
  readonly log: (message: string) => void
}

/** Opens a guard in this process. Its code is loaded here and not before: the host evaluates the plugin many times. */
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
  // Texts without a session: what one of them names is nothing to the next.
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
