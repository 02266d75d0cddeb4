/** A load of POST requests over keep-alive sockets, lean enough not to be what is measured. */
import { connect } from 'node:net'

export interface Load {
  readonly port: number
  readonly path: string
  readonly token: string
  readonly connections: number
  readonly ms: number
  /** Body of the `index`-th request. */
  readonly body: (index: number) => string
}

export interface LoadResult {
  readonly requestsPerSecond: number
  /** Milliseconds of each request. */
  readonly latencies: readonly number[]
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** Sends one request after the other on each connection until the time is up; fails on any answer but 200. */
export const load = async ({ port, path, token, connections, ms, body }: Load): Promise<LoadResult> => {
  const latencies: number[] = []
  let index = 0
  const began = performance.now()
  const until = began + ms
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let sent = 0
      let got: Buffer = Buffer.alloc(0)
      const send = (): void => {
        if (performance.now() >= until) {
          socket.end()
          resolve()
          return
        }
        const text = body(index++)
        sent = performance.now()
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        )
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
        const head = got.indexOf(HEAD_END)
        if (head < 0) return
        const header = got.toString('latin1', 0, head)
        const length = Number(/content-length: (\d+)/i.exec(header)?.[1])
        if (got.length < head + 4 + length) return
        if (!header.startsWith('HTTP/1.1 200')) {
          reject(new Error(`not answered: ${header.slice(0, 60)}`))
          return
        }
        latencies.push(performance.now() - sent)
        got = Buffer.alloc(0)
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return { requestsPerSecond: latencies.length / ((performance.now() - began) / 1000), latencies }
}
