import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import type { App, AppRequest } from './app.ts'
import { createBodyRoom } from './body-room.ts'
import type { BodyRoom } from './body-room.ts'

/** Where to listen. The TCP address is always loopback unless `host` says otherwise. */
export interface ListenOptions {
  readonly app: App
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Path of the unix socket. */
  readonly socket: string
  /** A larger body is read and thrown away. */
  readonly maxBodyBytes: number
}

/** A server that answers. */
export interface Listening {
  readonly url: string
  readonly port: number
  readonly socket: string
  /** Takes no new request, answers those it has, then lets go. Resolves when all is answered. */
  close(): Promise<void>
}

/** Bytes of all large bodies together, from their first byte to the answer. */
const BODIES = 64 << 20

/** Reads a body to its end; `undefined` when it is larger than the limit, of which nothing is kept. */
const readBody = (message: IncomingMessage, limit: number): Promise<Buffer | undefined> =>
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
      if (!message.complete) reject(new Error('the caller went away in the middle of the body'))
    })
  })

/** One of the two ways in. */
interface Door {
  /** Callers need no token: the file rights of the socket stand for it. */
  readonly trusted: boolean
  /** Bytes of a body. */
  readonly limit: number
  readonly stopping: () => boolean
  readonly room: BodyRoom
}

const answer = async (
  app: App,
  message: IncomingMessage,
  response: ServerResponse,
  { trusted, limit, stopping, room }: Door,
): Promise<void> => {
  const { 'content-length': told, 'transfer-encoding': chunked } = message.headers
  const length = Number(told ?? (chunked === undefined ? 0 : limit))
  // What is larger is thrown away as it comes.
  const leave = await room.enter(length > limit ? 0 : length)
  response.once('close', leave)
  const body = await readBody(message, limit)
  const { authorization, traceparent, host, origin, cookie } = message.headers
  const sent = message.headers['content-type']
  const fetchSite = message.headers['sec-fetch-site']
  const request: AppRequest = {
    method: message.method ?? '',
    url: message.url ?? '',
    trusted,
    body,
    gone: () => response.destroyed,
    ...(authorization === undefined ? {} : { authorization }),
    ...(sent === undefined ? {} : { contentType: sent }),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(host === undefined ? {} : { host }),
    ...(origin === undefined ? {} : { origin }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(typeof fetchSite === 'string' ? { fetchSite } : {}),
  }
  const { status, contentType, body: text, bytes, headers } = await app(request)
  response.writeHead(status, {
    ...headers,
    'content-type': contentType,
    'content-length': bytes?.length ?? Buffer.byteLength(text),
    // A connection kept open would hold up the end until the caller lets go of it.
    ...(stopping() ? { connection: 'close' } : {}),
  })
  response.end(message.method === 'HEAD' ? undefined : (bytes ?? text))
}

const serverFor = (app: App, door: Door): Server =>
  createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 }, (message, response) => {
    answer(app, message, response, door).catch(() => response.destroy())
  })

const listening = (server: Server, where: { host: string; port: number } | { path: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** Whether somebody answers on a unix socket. */
const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe: Socket = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => {
      resolve(false)
    })
  })

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeIdleConnections()
  })

/** Opens the TCP port and the unix socket. @throws Error (EADDRINUSE) when either is taken by a living process */
export const listen = async (options: ListenOptions): Promise<Listening> => {
  const { app, host, port, socket, maxBodyBytes: limit } = options
  let stops = false
  const room = createBodyRoom(Math.max(limit, BODIES))
  const stopping = (): boolean => stops
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 })
  if (await answers(socket)) throw Object.assign(new Error(`${socket} is in use`), { code: 'EADDRINUSE' })
  await rm(socket, { force: true })
  const local = serverFor(app, { trusted: true, limit, stopping, room })
  await listening(local, { path: socket })
  await chmod(socket, 0o600)
  const tcp = serverFor(app, { trusted: false, limit, stopping, room })
  try {
    await listening(tcp, { host, port })
  } catch (error) {
    await closed(local)
    throw error
  }
  const address = tcp.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return Object.freeze({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    socket,
    async close() {
      stops = true
      await Promise.all([closed(tcp), closed(local)])
    },
  })
}
