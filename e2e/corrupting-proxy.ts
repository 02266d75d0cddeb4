import { connect, createServer, type Socket } from 'node:net'
import { portOf } from './port-of.ts'

/** A wire between client and guard that spoils what comes back. */
export interface CorruptingProxy {
  readonly port: number
  /** From now on answers are spoilt. */
  spoil(): void
  close(): Promise<void>
}

/** First byte of a TLS record with application data, not of the handshake. */
const APPLICATION_DATA = 0x17

/**
 * Passes TCP through to `target`. Once told to, it turns every brace and quote of an answer's body into something that
 * is no JSON, of the same length, so that the HTTP around it stays right. Of a TLS record it changes the last byte.
 */
export const startCorruptingProxy = async (target: number): Promise<CorruptingProxy> => {
  const state = { spoilt: false }
  const spoilt = (part: Buffer): Buffer => {
    if (!state.spoilt) return part
    if (part[0] === APPLICATION_DATA)
      return Buffer.concat([part.subarray(0, -1), Buffer.from([(part.at(-1) ?? 0) ^ 1])])
    const text = part.toString('latin1')
    const body = text.indexOf('\r\n\r\n') + 4
    const from = text.startsWith('HTTP/') ? body : 0
    return Buffer.from(text.slice(0, from) + text.slice(from).replace(/[{}[\]"]/g, '~'), 'latin1')
  }
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const guard = connect(target, '127.0.0.1')
    for (const socket of [client, guard]) open.add(socket)
    client.pipe(guard)
    guard.on('data', (part: Buffer) => client.write(spoilt(part)))
    guard.on('end', () => client.end())
    guard.on('error', () => client.destroy())
    client.on('error', () => guard.destroy())
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  return {
    port: portOf(server),
    spoil: () => {
      state.spoilt = true
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of open) socket.destroy()
      }),
  }
}
