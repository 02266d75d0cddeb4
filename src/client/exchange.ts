import { Buffer } from 'node:buffer'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'

/** The result of a request. A failure is a value: the caller decides what it means for the step. */
export type ClientAnswer =
  | {
      readonly outcome: 'answered'
      readonly status: number
      readonly body: string
      /** The header `Retry-After`, as received. */
      readonly retryAfter?: string
    }
  | { readonly outcome: 'failed'; readonly why: 'timeout' | 'unreachable' | 'invalid'; readonly cause: string }

/** `request` of node:http or node:https: callers without TLS do not load the latter. */
export type RequestFunction = (options: RequestOptions, answered: (response: IncomingMessage) => void) => ClientRequest

/** A verdict is small; anything larger does not come from a guard. */
const LONGEST_ANSWER = 64 * 1024 * 1024

const failed = (signal: AbortSignal, error: Error): ClientAnswer =>
  signal.aborted
    ? { outcome: 'failed', why: 'timeout', cause: 'no answer in time' }
    : { outcome: 'failed', why: 'unreachable', cause: 'code' in error ? String(error.code) : error.message }

const readAnswer = (
  response: IncomingMessage,
  limit: number,
  done: (answer: ClientAnswer) => void,
  fail: (e: Error) => void,
): void => {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) {
      done({ outcome: 'failed', why: 'invalid', cause: `an answer of more than ${limit} bytes` })
      response.destroy()
    } else chunks.push(chunk)
  })
  response.on('error', fail)
  response.on('end', () => {
    const retryAfter = response.headers['retry-after']
    done({
      outcome: 'answered',
      status: response.statusCode ?? 0,
      body: Buffer.concat(chunks).toString('utf8'),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  })
}

/**
 * One request and its answer. Never rejects; an aborted signal is a timeout. Follows no redirect, and uses no proxy
 * except the one of its agent: node:http does neither by default.
 */
export const exchange = (
  request: RequestFunction,
  options: RequestOptions,
  body: string | Uint8Array | undefined,
  limit: number = LONGEST_ANSWER,
): Promise<ClientAnswer> =>
  new Promise((resolve) => {
    const signal = options.signal ?? new AbortController().signal
    // A request that still waits for a connection does not report its cancellation.
    const calledOff = (): void => {
      fail(new Error('cancelled'))
    }
    const done = (answer: ClientAnswer): void => {
      signal.removeEventListener('abort', calledOff)
      resolve(answer)
    }
    const fail = (error: Error): void => {
      done(failed(signal, error))
    }
    signal.addEventListener('abort', calledOff)
    try {
      const asked = request(options, (response) => {
        readAnswer(response, limit, done, fail)
      })
      // The error listener stays: a request that is destroyed after its answer may still emit an error.
      asked.on('error', fail)
      asked.on('upgrade', (_response, socket) => {
        socket.destroy()
        done({ outcome: 'failed', why: 'invalid', cause: 'an answer that switches protocols' })
      })
      if (body === undefined) asked.end()
      else asked.end(body)
    } catch (error) {
      fail(error instanceof Error ? error : new Error('the request could not be sent'))
    }
  })
