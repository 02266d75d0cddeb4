import { isObject } from '../../protocol/json.ts'
import type { CliParts } from './commands.ts'
import type { PluginStatus } from './plugin-status.ts'
import { RPC } from './rpc.ts'
import type { ScanResult } from '../scan/scan-result.ts'

/** Calls a method of the running gateway, as the host's own CLI does; the host provides address and credentials. */
export type GatewayCall = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  /** Scopes of the call, where it needs more than the usual ones of the method. */
  scopes?: readonly string[],
) => Promise<unknown>

/** Not a package of ours: the host provides it to its plugins (docs/plugins/sdk-subpaths.md). */
const HOST_SDK = 'openclaw/plugin-sdk/gateway-runtime'
const WAIT_MS = 20_000

/** Access to the gateway for the plugin's CLI commands; the host's module is loaded with the first call. */
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

const WRONG_ANSWER = 'another plugin or another version answered'

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

/** The requests of the CLI commands to the plugin in the running gateway. */
export const gatewayParts = (call: GatewayCall): Pick<CliParts, 'status' | 'scan'> => ({
  async status() {
    const answer = await call(RPC.status, {})
    if (!isStatus(answer)) throw new TypeError(WRONG_ANSWER)
    return answer
  },
  async scan(asked) {
    const answer = await call(RPC.scan, asked)
    if (!isScan(answer)) throw new TypeError(WRONG_ANSWER)
    return answer
  },
})
