import { createServer } from 'node:http'

/** A server that is not the guard and says yes to everything. */
export interface Stranger {
  close(): void
}

/** Takes a port that a guard has left. */
export const startStranger = async (port: number): Promise<Stranger> => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{}')
    })
  })
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
