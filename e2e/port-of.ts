import type { Server } from 'node:net'

/** The TCP port a server listens on. */
export const portOf = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on TCP.')
  return address.port
}
