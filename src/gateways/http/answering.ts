import { Buffer } from 'node:buffer'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { eventOf } from '../frames/events.ts'

/** The answer to one request of a client: a single message, or a stream of events. */
export interface Answering {
  /** `open`: nothing is sent yet. */
  state(): 'open' | 'stream' | 'over'
  /** Sends the last message; its status counts unless a stream has begun. */
  message(text: string, status: number, headers?: OutgoingHttpHeaders): void
  /** Sends a message before the last one. */
  interim(text: string): void
  beginStream(headers: OutgoingHttpHeaders): void
  /** Sends bytes of a stream. */
  write(bytes: string | Buffer): void
  /** Sends a status without a body, or ends a stream. */
  end(status: number, headers?: OutgoingHttpHeaders): void
  /** Resolves once more can be written, or nobody reads any more. */
  drained(): Promise<void>
}

const STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Creates the answer of a response. */
export const createAnswering = (response: ServerResponse): Answering => {
  let state: ReturnType<Answering['state']> = 'open'
  const isGone = (): boolean => response.destroyed || response.writableEnded
  const write = (bytes: string | Buffer): void => {
    if (!isGone()) response.write(bytes)
  }
  const beginStream = (headers: OutgoingHttpHeaders): void => {
    if (state !== 'open') return
    state = 'stream'
    if (isGone()) return
    response.writeHead(200, { ...STREAM, ...headers })
    response.flushHeaders()
  }
  const end = (): void => {
    state = 'over'
    if (!isGone()) response.end()
  }
  return Object.freeze<Answering>({
    state: () => state,
    message(text, status, headers = {}) {
      if (state === 'over') return
      if (state === 'stream') write(eventOf(text))
      else if (!isGone()) {
        const bytes = Buffer.from(text)
        response.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': bytes.length })
        response.write(bytes)
      }
      end()
    },
    interim(text) {
      beginStream({})
      write(eventOf(text))
    },
    beginStream,
    write,
    end(status, headers = {}) {
      if (state === 'over') return
      if (state === 'open' && !isGone()) {
        const { 'content-type': _type, ...others } = headers
        response.writeHead(status, { ...others, 'content-length': 0 })
      }
      end()
    },
    drained: () =>
      isGone() || !response.writableNeedDrain
        ? Promise.resolve()
        : new Promise((resolve) => {
            const done = (): void => {
              response.off('drain', done)
              response.off('close', done)
              resolve()
            }
            response.on('drain', done)
            response.on('close', done)
          }),
  })
}
