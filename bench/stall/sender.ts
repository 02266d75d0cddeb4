/** Sends hostile events one after the other, in a thread of its own: making them takes time that is not the guard's. */
import { request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { HOSTILE_SHAPES } from './shapes.ts'

const { port, token, sizes, together } = workerData as {
  readonly port: number
  readonly token: string
  readonly sizes: readonly number[]
  readonly together: number
}

/** What became of one event. */
export interface Sent {
  readonly name: string
  readonly bytes: number
  readonly seconds: number
  readonly status: number
  /** The beginning of the answer. */
  readonly answer: string
}

const send = (body: Buffer): Promise<{ readonly seconds: number; readonly status: number; readonly answer: string }> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path: '/v1/hooks/claude-code',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'content-length': body.length,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const seconds = (performance.now() - began) / 1_000
          resolve({
            seconds,
            status: response.statusCode ?? 0,
            answer: Buffer.concat(chunks).toString('utf8').slice(0, 300),
          })
        })
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })

for (const size of sizes)
  for (const { name, body, most = Infinity } of HOSTILE_SHAPES) {
    if (size > most) continue
    const bytes = Buffer.from(body(size))
    parentPort?.postMessage({ name, bytes: bytes.length })
    const all = await Promise.all(Array.from({ length: together }, () => send(bytes)))
    for (const one of all) parentPort?.postMessage({ name, bytes: bytes.length, ...one } satisfies Sent)
  }
parentPort?.postMessage('done')
