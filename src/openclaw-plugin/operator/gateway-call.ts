import { isObject } from '../../protocol/json.ts'
import type { CliParts } from './commands.ts'
import type { PluginStatus } from './plugin-status.ts'
import { RPC } from './rpc.ts'
import type { ScanResult } from '../scan/scan-result.ts'

/** Asks a method of the running gateway, as the host's own CLI does: its address and credentials are the host's matter. */
export type GatewayCall = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  /** What the call has to be allowed, where it is more than the method's usual. */
  scopes?: readonly string[],
) => Promise<unknown>

/** Not a package of ours: the host gives it to the plugins it loads (docs/plugins/sdk-subpaths.md). */
const HOST_SDK = 'openclaw/plugin-sdk/gateway-runtime'
const WAIT_MS = 20_000

/** A way to the gateway for the plugin's CLI commands; the host's module is loaded with the first call. */
export const createGatewayCall =
  (load: () => Promise<unknown> = () => import(HOST_SDK)): GatewayCall =>
  async (method, params, scopes) => {
    const sdk = await load()
    const call: unknown = isObject(sdk) ? sdk['callGatewayFromCli'] : undefined
    if (typeof call !== 'function') throw new TypeError('this OpenClaw does not let plugins call its gateway')
    const answer: unknown = await call(method, { timeout: String(WAIT_MS) }, params, {
      progress: false,
      ...(scopes === undefined ? {} : { scopes }),
    })
    return answer
  }

const STRANGE = 'another plugin or another version answered'

const isStatus = (answer: unknown): answer is PluginStatus =>
  isObject(answer) &&
  typeof answer['version'] === 'string' &&
  isObject(answer['modes']) &&
  Array.isArray(answer['gaps']) &&
  Array.isArray(answer['seams']) &&
  Array.isArray(answer['faults'])

const isScan = (answer: unknown): answer is ScanResult =>
  isObject(answer) &&
  typeof answer['action'] === 'string' &&
  typeof answer['severity'] === 'string' &&
  Array.isArray(answer['categories'])

/** What the CLI commands ask, of the plugin in the running gateway. */
export const gatewayParts = (call: GatewayCall): Pick<CliParts, 'status' | 'scan'> => ({
  async status() {
    const answer = await call(RPC.status, {})
    if (!isStatus(answer)) throw new TypeError(STRANGE)
    return answer
  },
  async scan(asked) {
    const answer = await call(RPC.scan, asked)
    if (!isScan(answer)) throw new TypeError(STRANGE)
    return answer
  },
})
