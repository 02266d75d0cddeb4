import { Buffer } from 'node:buffer'
import { request } from 'node:http'
import type { RequestOptions } from 'node:http'
import { exchange } from './exchange.ts'
import type { ClientAnswer } from './exchange.ts'

export type { ClientAnswer } from './exchange.ts'

/** Where a guard listens. `url` is its loopback address without a path. */
export type GuardAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly url: string; readonly token?: string }

/** Asks a guard over its unix socket or its loopback port. Imports nothing: the hook entry starts with every call. */
export interface HookClient {
  /** Sends JSON text. Never rejects; a signal that aborts is a timeout. */
  post(path: string, body: string | Uint8Array, signal: AbortSignal): Promise<ClientAnswer>
  get(path: string, signal: AbortSignal): Promise<ClientAnswer>
}

/** The connection's side of a request; proxies are not for a guard, and node:http asks none. */
const connection = (address: GuardAddress): RequestOptions => {
  if (address.kind === 'socket') return { socketPath: address.path }
  const { hostname, port } = new URL(address.url)
  return { host: hostname, port }
}

const credentials = (address: GuardAddress): Readonly<Record<string, string>> =>
  address.kind === 'tcp' && address.token !== undefined ? { authorization: `Bearer ${address.token}` } : {}

/** Makes a client of one guard. @throws TypeError when the address is none */
export const createHookClient = (address: GuardAddress): HookClient => {
  const where = connection(address)
  const send = (options: RequestOptions, body: string | Uint8Array, signal: AbortSignal): Promise<ClientAnswer> =>
    exchange(request, { ...options, agent: false, signal }, body)
  return Object.freeze({
    post(path: string, body: string | Uint8Array, signal: AbortSignal) {
      const headers = {
        ...credentials(address),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      return send({ ...where, path, method: 'POST', headers }, body, signal)
    },
    get: (path: string, signal: AbortSignal) =>
      send({ ...where, path, method: 'GET', headers: credentials(address) }, '', signal),
  })
}
