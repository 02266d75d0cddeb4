import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

/** What can go wrong with an answer. */
export type Fault =
  /** The right answer, late. */
  | { readonly fault: 'late'; readonly ms: number }
  /** A status with a body in the form of the service's own errors; `retryAfter` in the form of the header. */
  | { readonly fault: 'status'; readonly status: number; readonly retryAfter?: string; readonly message?: string }
  /** Status 200 and an invalid body. */
  | { readonly fault: 'garbage'; readonly body?: string; readonly contentType?: string }
  /** The right answer with another content type. */
  | { readonly fault: 'content-type'; readonly contentType: string }
  /** The right answer, byte by byte with a pause after each. */
  | { readonly fault: 'slow-body'; readonly pauseMs: number }
  /** The first half of the right answer, then the connection is cut. */
  | { readonly fault: 'half-body' }
  /** The connection is cut before any answer. */
  | { readonly fault: 'hang-up' }
  /** No answer, and the connection stays open. */
  | { readonly fault: 'silence' }
  /** A redirect. */
  | { readonly fault: 'redirect'; readonly to: string }
  /** More bytes than any client should read. */
  | { readonly fault: 'endless' }

/** Where a fault is played. */
export interface Stage {
  readonly response: ServerResponse
  readonly after: (ms: number, run: () => void) => () => void
  /** The right answer. */
  readonly text: string
  readonly status: number
}

const JSON_TYPE = { 'content-type': 'application/json' }
const PIECE = Buffer.alloc(1024 * 1024, 'x')

const end = ({ response, text, status }: Stage, contentType = JSON_TYPE['content-type']): void => {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const drip = (stage: Stage, pauseMs: number): void => {
  const { response, text, after, status } = stage
  const bytes = Buffer.from(text)
  response.writeHead(status, { ...JSON_TYPE, 'content-length': bytes.length })
  const from = (at: number): void => {
    if (response.destroyed) return
    if (at >= bytes.length) {
      response.end()
      return
    }
    response.write(bytes.subarray(at, at + 1))
    after(pauseMs, () => {
      from(at + 1)
    })
  }
  from(0)
}

const pour = (response: ServerResponse): void => {
  const more = (): void => {
    while (!response.destroyed && response.write(PIECE));
  }
  response.writeHead(200, JSON_TYPE)
  response.on('drain', more)
  more()
}

/** Answers with a fault. */
export const playFault = (fault: Fault, stage: Stage): void => {
  const { response, text } = stage
  switch (fault.fault) {
    case 'late':
      stage.after(fault.ms, () => {
        end(stage)
      })
      return
    case 'status':
      response.writeHead(fault.status, {
        ...JSON_TYPE,
        ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
      })
      response.end(JSON.stringify({ error: { message: fault.message ?? `status ${fault.status}` } }))
      return
    case 'garbage':
      response.writeHead(200, { 'content-type': fault.contentType ?? 'application/json' })
      response.end(fault.body ?? '<html>502 Bad Gateway</html>')
      return
    case 'content-type':
      end(stage, fault.contentType)
      return
    case 'slow-body':
      drip(stage, fault.pauseMs)
      return
    case 'half-body':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
      return
    case 'hang-up':
      response.destroy()
      return
    case 'silence':
      return
    case 'redirect':
      response.writeHead(307, { location: fault.to })
      response.end()
      return
    case 'endless':
      pour(response)
      return
    default:
      fault satisfies never
  }
}
