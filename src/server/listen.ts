import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import type { Server as NetServer, Socket } from 'node:net'
import { dirname } from 'node:path'
import { isLoopback } from '../protocol/network-host.ts'
import type { App, AppRequest } from './app.ts'
import { createBodyBudget, SMALL } from './body-budget.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Caller, Processes } from '../processes/processes.ts'
import { createSharedPort } from './shared-port.ts'

/** What the guard shows to callers that come by TLS; PEM. */
export interface TlsIdentity {
  readonly certificate: string
  readonly key: string
}

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
  /** Whether a caller with this `Authorization` header may send more than a small body. */
  readonly knows: (authorization: string | undefined) => boolean
  /** Shows who is at the other end of connections from this machine. */
  readonly processes?: Processes
  /** With it the TCP port answers TLS as well as plain HTTP. */
  readonly tls?: TlsIdentity
}

/** A server that answers. */
export interface Listening {
  readonly url: string
  readonly port: number
  readonly socket: string
  /** From now on another identity is shown; connections that are open keep theirs. */
  renew(tls: TlsIdentity): void
  /** Takes no new request, answers those it has, then lets go. Resolves when all is answered. */
  close(): Promise<void>
}

/** Bytes of all large bodies together, from their first byte to the answer. */
const BODIES = 64 << 20
/** Milliseconds in which a large body has to have come, once there is room for it. */
const BODY_MS = 10_000
/** Milliseconds in which connections have to have ended when the server closes. */
const CLOSE_MS = 5_000

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
      if (!message.complete) reject(new Error('the caller disconnected in the middle of the body'))
    })
  })

/** A port or socket that accepts requests. */
interface Endpoint {
  /** Callers need no token: file permissions of the socket replace it. */
  readonly trusted: boolean
  readonly tls: boolean
  /** Bytes of a body. */
  readonly limit: number
  readonly stopping: () => boolean
  readonly knows: ListenOptions['knows']
  readonly room: BodyBudget
  /** Who is at the other end of a connection. */
  readonly callerOf: (socket: Socket) => Caller | undefined
}

/** A body, when there is room for it; nobody who has hung up holds any. */
const bodyOf = async (
  message: IncomingMessage,
  response: ServerResponse,
  limit: number,
  room: BodyBudget,
): Promise<Buffer | undefined> => {
  const { 'content-length': told, 'transfer-encoding': chunked } = message.headers
  const length = Number(told ?? (chunked === undefined ? 0 : limit))
  let leave: (() => void) | undefined
  // Before the wait: who hangs up meanwhile is not told of twice.
  response.once('close', () => leave?.())
  // What is larger is thrown away as it comes.
  leave = await room.enter(length > limit ? 0 : length)
  if (response.destroyed || message.destroyed) {
    leave()
    throw new Error('the caller disconnected before its body was read')
  }
  const late = setTimeout(() => message.destroy(), BODY_MS)
  try {
    return await readBody(message, limit)
  } finally {
    clearTimeout(late)
  }
}

/** One caller a connection: a host keeps its own open, and is looked for once. */
const createCallers = (processes: Processes | undefined): Endpoint['callerOf'] => {
  const known = new WeakMap<Socket, Caller>()
  return (socket) => {
    const { localPort: local, remotePort: remote, remoteAddress = '' } = socket
    if (processes === undefined || local === undefined || remote === undefined) return undefined
    // Ports of another machine say nothing of the processes of this one.
    if (!isLoopback(remoteAddress)) return undefined
    const caller = known.get(socket) ?? processes.callerAt({ local, remote })
    known.set(socket, caller)
    return caller
  }
}

const programIn = (header: unknown): AppRequest['program'] => {
  const [, pid, all] = (typeof header === 'string' ? /^(\d{1,10})( all)?$/.exec(header) : null) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), sendsAll: all !== undefined }
}

const answer = async (
  app: App,
  message: IncomingMessage,
  response: ServerResponse,
  { trusted, tls, limit, stopping, callerOf, knows, room }: Endpoint,
): Promise<void> => {
  const { authorization, traceparent, host, origin, cookie } = message.headers
  const body = await bodyOf(message, response, trusted || knows(authorization) ? limit : Math.min(limit, SMALL), room)
  const sent = message.headers['content-type']
  const caller = callerOf(message.socket)
  const program = programIn(message.headers[PROGRAM_HEADER])
  const fetchSite = message.headers['sec-fetch-site']
  const request: AppRequest = {
    method: message.method ?? '',
    url: message.url ?? '',
    trusted,
    tls,
    body,
    gone: () => response.destroyed,
    ...(authorization === undefined ? {} : { authorization }),
    ...(sent === undefined ? {} : { contentType: sent }),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(caller === undefined ? {} : { caller }),
    ...(program === undefined ? {} : { program }),
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

/** By it a program of ours says which process it is, and whether the host sends everything by such programs. */
const PROGRAM_HEADER = 'x-sallyport-program'

const TIMES = { keepAliveTimeout: 65_000, requestTimeout: 60_000 }

const answering =
  (app: App, door: Endpoint) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    answer(app, message, response, door).catch(() => response.destroy())
  }

const contextOf = ({ certificate, key }: TlsIdentity) => ({ cert: certificate, key, minVersion: 'TLSv1.2' as const })

const listening = (server: NetServer, where: { host: string; port: number } | { path: string }): Promise<void> =>
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

/** @param speaking the servers that have the connections of `server` */
const closed = (server: NetServer, speaking: readonly Server[]): Promise<void> =>
  new Promise((resolve) => {
    const late = setTimeout(() => {
      for (const one of speaking) one.closeAllConnections()
    }, CLOSE_MS)
    server.close(() => {
      clearTimeout(late)
      resolve()
    })
    for (const one of speaking) {
      one.closeIdleConnections()
      // Those that listen through another only end their timers.
      if (one !== server) one.close(() => undefined)
    }
  })

/** Opens the TCP port and the unix socket. @throws Error (EADDRINUSE) when either is taken by a living process */
export const listen = async (options: ListenOptions): Promise<Listening> => {
  const { app, host, port, socket, maxBodyBytes: limit } = options
  let stops = false
  const room = createBodyBudget(Math.max(limit, BODIES))
  const stopping = (): boolean => stops
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 })
  if (await answers(socket)) throw Object.assign(new Error(`${socket} is in use`), { code: 'EADDRINUSE' })
  await rm(socket, { force: true })
  const { knows, processes } = options
  const door = { trusted: false, tls: false, limit, stopping, callerOf: createCallers(processes), knows, room }
  const local = createServer(TIMES, answering(app, { ...door, trusted: true }))
  const plain = createServer(TIMES, answering(app, door))
  const secure =
    options.tls === undefined
      ? undefined
      : createSecureServer({ ...TIMES, ...contextOf(options.tls) }, answering(app, { ...door, tls: true }))
  const speaking = [plain, ...(secure === undefined ? [] : [secure])]
  const tcp = secure === undefined ? plain : createSharedPort(plain, secure)
  await listening(tcp, { host, port })
  try {
    // The socket comes last: whoever waits for the guard waits for it.
    await listening(local, { path: socket })
    await chmod(socket, 0o600)
  } catch (error) {
    await closed(tcp, speaking)
    throw error
  }
  const address = tcp.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return Object.freeze<Listening>({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    socket,
    renew: (tls) => secure?.setSecureContext(contextOf(tls)),
    async close() {
      stops = true
      await Promise.all([closed(tcp, speaking), closed(local, [local])])
    },
  })
}
