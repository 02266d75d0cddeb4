import { createServer } from 'node:net'
import { portOf } from './port-of.ts'

/** A loopback port on which nothing listens at the moment. */
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
