import { Buffer } from 'node:buffer'
import { request } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'

/** Where a guard listens. `url` is its loopback address without a path. */
export type GuardAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly url: string; readonly token?: string }

/** What came of a request. A failure is a value: the caller decides what it means for the step. */
export type ClientAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly body: string }
  | { readonly outcome: 'failed'; readonly why: 'timeout' | 'unreachable' | 'invalid'; readonly cause: string }

/** Asks a guard over its unix socket or its loopback port. Imports nothing: the hook entry starts with every call. */
export interface HookClient {
  /** Sends JSON text. Never rejects; a signal that aborts is a timeout. */
  post(path: string, body: string | Uint8Array, signal: AbortSignal): Promise<ClientAnswer>
  get(path: string, signal: AbortSignal): Promise<ClientAnswer>
}

/** A verdict is small; anything larger does not come from a guard. */
const LONGEST_ANSWER = 64 * 1024 * 1024

/** The connection's side of a request; proxies are not for a guard, and node:http asks none. */
const connection = (address: GuardAddress): RequestOptions => {
  if (address.kind === 'socket') return { socketPath: address.path }
  const { hostname, port } = new URL(address.url)
  return { host: hostname, port }
}

const credentials = (address: GuardAddress): Readonly<Record<string, string>> =>
  address.kind === 'tcp' && address.token !== undefined ? { authorization: `Bearer ${address.token}` } : {}

const failed = (signal: AbortSignal, error: Error): ClientAnswer =>
  signal.aborted
    ? { outcome: 'failed', why: 'timeout', cause: 'no answer in time' }
    : { outcome: 'failed', why: 'unreachable', cause: 'code' in error ? String(error.code) : error.message }

const readAnswer = (
  response: IncomingMessage,
  done: (answer: ClientAnswer) => void,
  fail: (e: Error) => void,
): void => {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > LONGEST_ANSWER) {
      done({ outcome: 'failed', why: 'invalid', cause: `an answer of more than ${LONGEST_ANSWER} bytes` })
      response.destroy()
    } else chunks.push(chunk)
  })
  response.on('error', fail)
  response.on('end', () => {
    done({ outcome: 'answered', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') })
  })
}

/** Makes a client of one guard. @throws TypeError when the address is none */
export const createHookClient = (address: GuardAddress): HookClient => {
  const where = connection(address)
  const send = (options: RequestOptions, body: string | Uint8Array, signal: AbortSignal): Promise<ClientAnswer> =>
    new Promise((resolve) => {
      const fail = (error: Error): void => {
        resolve(failed(signal, error))
      }
      try {
        // The error listener stays: a request that is torn down after its answer may still complain.
        const asked = request({ ...options, agent: false, signal }, (response) => {
          readAnswer(response, resolve, fail)
        })
        asked.on('error', fail)
        asked.end(body)
      } catch (error) {
        fail(error instanceof Error ? error : new Error('the request could not be made'))
      }
    })
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
