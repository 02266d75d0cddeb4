import type { ClientAnswer } from './exchange.ts'
import type { Peer } from './peer.ts'

/** Shorter ones are words that stand anywhere. */
const SHORTEST = 8

/** The same peer, in whose answers our credentials do not stand: an error that repeats a header would carry them into reasons and traces. */
export const createDiscreetPeer = (peer: Peer, credentials: readonly (string | undefined)[]): Peer => {
  const secret = credentials.filter((one) => one !== undefined && one.length >= SHORTEST) as readonly string[]
  const discreet = (answer: ClientAnswer): ClientAnswer =>
    answer.outcome === 'answered' && secret.some((one) => answer.body.includes(one))
      ? { ...answer, body: secret.reduce((body, one) => body.replaceAll(one, '[masked:credential]'), answer.body) }
      : answer
  return Object.freeze<Peer>({
    ...peer,
    post: async (body, headers, signal, path) => discreet(await peer.post(body, headers, signal, path)),
    get: async (path, headers, signal) => discreet(await peer.get(path, headers, signal)),
  })
}
