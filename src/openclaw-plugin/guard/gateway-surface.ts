import { configFileOf, environmentFilesOf } from '../../hosts/openclaw/setup/places.ts'
import { isObject } from '../../protocol/json.ts'
import type { OpenClawApi } from '../host/host-api.ts'
import type { HereOptions } from './open-local-guard.ts'

type Env = HereOptions['env']

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
): Pick<HereOptions, 'own' | 'port'> => {
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
