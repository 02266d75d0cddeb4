import type { Server as HttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

/** First byte of a TLS record that opens a handshake; no HTTP request begins with it. */
const HANDSHAKE = 0x16
/** Milliseconds in which a connection has to say its first byte. */
const IDLE_TIMEOUT_MS = 10_000

/**
 * One port for HTTP and HTTPS: what a connection begins with decides which of the two servers has it. Neither of them
 * listens by itself.
 */
export const createSharedPort = (plain: HttpServer, secure: HttpServer): Server => {
  const hand = (socket: Socket): void => {
    const hurry = (): void => {
      socket.destroy()
    }
    const first = (): void => {
      const bytes = socket.read() as Buffer | null
      if (bytes === null) return
      socket.off('readable', first)
      socket.off('error', hurry)
      socket.off('end', hurry)
      socket.setTimeout(0, hurry)
      socket.unshift(bytes)
      const isHandshake = bytes[0] === HANDSHAKE
      // node:https does not keep a connection that its caller has ended, node:http does.
      if (isHandshake) socket.allowHalfOpen = false
      ;(isHandshake ? secure : plain).emit('connection', socket)
    }
    socket.setTimeout(IDLE_TIMEOUT_MS, hurry)
    socket.on('error', hurry)
    socket.on('end', hurry)
    socket.on('readable', first)
  }
  // As node:http opens its own.
  const port = createServer({ allowHalfOpen: true, noDelay: true }, hand)
  port.on('listening', () => {
    // They keep the time of requests only from here on.
    plain.emit('listening')
    secure.emit('listening')
  })
  return port
}
