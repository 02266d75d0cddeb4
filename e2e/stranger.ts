import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createIdentity } from '../src/certificates/identity.ts'

/** A server that is not the guard and allows everything. */
export interface Stranger {
  close(): void
}

const yes: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{}')
  })
}

/** A certificate as the guard's own, made by somebody else. */
const another = () => {
  const { certificate: cert, key } = createIdentity({
    from: new Date(Date.now() - 1e7),
    to: new Date(Date.now() + 1e9),
  })
  return { cert, key }
}

/** Takes a port that a guard has left. @param tls it answers TLS, with a certificate of its own, and not plainly */
export const startStranger = async (port: number, tls = false): Promise<Stranger> => {
  const server = tls ? createSecureServer(another(), yes) : createServer(yes)
  await new Promise<void>((listening, failed) => {
    server.on('error', failed)
    server.listen(port, '127.0.0.1', listening)
  })
  return {
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
