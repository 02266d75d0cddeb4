import type { ClientAnswer } from './exchange.ts'
import type { Peer } from './peer.ts'

/** Shorter ones occur as words anywhere. */
const SHORTEST = 8

/** A credential in any JSON notation: each character possibly escaped, as some encoders do with `+`, `/` and `=`. */
const written = (credential: string): string =>
  credential.replaceAll(/[^]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `(?:\\u${hex}|\\\\u(?:${hex}|${hex.toUpperCase()})${unit === '/' ? '|\\\\/' : ''})`
  })

/**
 * Wraps a peer and masks our credentials in its answers: an error that repeats a header would carry them into reasons
 * and traces.
 */
export const createRedactingPeer = (peer: Peer, credentials: readonly (string | undefined)[]): Peer => {
  const secret = credentials.filter((one) => one !== undefined && one.length >= SHORTEST) as readonly string[]
  if (secret.length === 0) return peer
  const any = new RegExp(secret.map(written).join('|'), 'g')
  const redacted = (answer: ClientAnswer): ClientAnswer =>
    answer.outcome === 'answered' ? { ...answer, body: answer.body.replaceAll(any, '[masked:credential]') } : answer
  return Object.freeze<Peer>({
    ...peer,
    post: async (body, headers, signal, path) => redacted(await peer.post(body, headers, signal, path)),
    get: async (path, headers, signal) => redacted(await peer.get(path, headers, signal)),
  })
}
