import { createServer } from 'node:net'
import { portOf } from './port-of.ts'

/** A port of loopback that nobody listens at just now. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const port = portOf(server)
  await new Promise((closed) => {
    server.close(closed)
  })
  return port
}
