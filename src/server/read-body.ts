import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** Reads a whole body; `undefined` when it exceeds the limit, of which nothing is stored. */
export const readBody = (message: IncomingMessage, limit: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) chunks = []
      else chunks.push(chunk)
    })
    message.on('end', () => {
      resolve(size > limit ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size))
    })
    message.on('error', reject)
    message.on('close', () => {
      if (!message.complete) reject(new Error('the caller disconnected in the middle of the body'))
    })
  })
