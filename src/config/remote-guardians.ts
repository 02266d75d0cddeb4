import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createPeer } from '../client/peer.ts'
import type { Peer, PeerAddress, PeerTls } from '../client/peer.ts'
import { createResilience } from '../client/resilience.ts'
import { createRpcClient } from '../client/rpc-client.ts'
import type { Clock } from '../core/clock.ts'
import type { GuardianSeat } from '../core/guardian.ts'
import { SallyportError } from '../errors.ts'
import { createAcsProtocol } from '../guardians/remote/acs.ts'
import { createAosProtocol } from '../guardians/remote/aos.ts'
import { createRemoteGuardian } from '../guardians/remote/remote-guardian.ts'
import type { RemoteProtocol } from '../guardians/remote/remote-guardian.ts'
import type { Config, RemoteGuardianConfig } from './schema.ts'

/** The machine, as far as guardians elsewhere need it. */
export interface RemoteWorld {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Makes a UUID. */
  readonly makeId: () => string
}

/** Guardians elsewhere in their seats: those before the rules here, and those after them. */
export interface RemoteSeats {
  readonly before: readonly GuardianSeat[]
  readonly after: readonly GuardianSeat[]
}

const RETRY_MS = 50
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i
/** Where an AOS or ACS guardian answers on a socket unless told otherwise; Sallyport's own place. */
const SOCKET_PATH = '/v1/hooks/aos'

const wrong = (id: string, key: string, expected: string): SallyportError =>
  new SallyportError('SP_CONFIG_VALUE', { place: `guardians (${id})`, key, expected })

const fileText = (id: string, key: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new SallyportError(
      'SP_CONFIG_VALUE',
      { place: `guardians (${id})`, key, expected: 'a file that this guard can read' },
      { cause },
    )
  }
}

const addressOf = ({ id, url, socket }: RemoteGuardianConfig): PeerAddress => {
  if (socket !== undefined) return { kind: 'socket', socket, path: url ?? SOCKET_PATH }
  if (url === undefined || !URL.canParse(url)) throw wrong(id, 'url', 'an address, unless `socket` is given')
  const { protocol, hostname, username } = new URL(url)
  if (username !== '') throw wrong(id, 'url', 'without a user name: put the token into `tokenFile`')
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return { kind: 'url', url }
  throw wrong(id, 'url', 'an https: address, or http: on this machine: what is sent must not be readable on the way')
}

const tlsOf = ({ id, caFile, certFile, keyFile }: RemoteGuardianConfig): PeerTls => {
  if ((certFile === undefined) !== (keyFile === undefined)) throw wrong(id, 'certFile', 'given together with `keyFile`')
  return {
    ...(caFile === undefined ? {} : { ca: fileText(id, 'caFile', caFile) }),
    ...(certFile === undefined ? {} : { cert: fileText(id, 'certFile', certFile) }),
    ...(keyFile === undefined ? {} : { key: fileText(id, 'keyFile', keyFile) }),
  }
}

const tokenOf = ({ id, tokenFile, tokenEnv }: RemoteGuardianConfig, { env }: RemoteWorld): string | undefined => {
  if (tokenFile !== undefined) return fileText(id, 'tokenFile', tokenFile)
  if (tokenEnv === undefined) return undefined
  const token = env[tokenEnv]
  if (token === undefined || token === '') throw wrong(id, 'tokenEnv', 'the name of a variable that is set')
  return token
}

const peerOf = (config: RemoteGuardianConfig, world: RemoteWorld): Peer => {
  const token = tokenOf(config, world)
  return createPeer({ address: addressOf(config), tls: tlsOf(config), ...(token === undefined ? {} : { token }) })
}

const protocolOf = (config: RemoteGuardianConfig, world: RemoteWorld): RemoteProtocol => {
  const { id, retries, breakAfter, breakMs, dialect, secretFile } = config
  const client = createRpcClient(
    peerOf(config, world),
    createResilience({ retries, retryMs: RETRY_MS, breakAfter, breakMs }),
  )
  const { makeId, clock } = world
  if (config.protocol === 'aos')
    return createAosProtocol({
      client,
      makeId,
      emission: dialect === 'published' ? 'published' : 'default',
      partial: dialect === 'joch',
    })
  if (secretFile === undefined) throw wrong(id, 'secretFile', 'given: ACS signs every request')
  const secret = Buffer.from(fileText(id, 'secretFile', secretFile))
  return createAcsProtocol({ client, makeId, secret, now: () => clock.now(), named: config.kinds.length > 0 })
}

const seatOf = (config: RemoteGuardianConfig, world: RemoteWorld): GuardianSeat => ({
  guardian: createRemoteGuardian({
    id: config.id,
    protocol: protocolOf(config, world),
    ...(config.kinds.length === 0 ? {} : { kinds: config.kinds }),
  }),
  deadlineMs: config.deadlineMs,
  allowOnFailure: config.allowOnFailure,
})

/** Seats the guardians that are configured. Asks none yet. @throws SallyportError SP_CONFIG_VALUE */
export const seatRemoteGuardians = (guardians: Config['guardians'], world: RemoteWorld): RemoteSeats => {
  const ids = guardians.map((one) => (one === 'policy' ? one : one.id))
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index || id === 'evidence')
  if (repeated !== undefined) throw wrong(repeated, 'id', 'a name of its own')
  const turn = guardians.indexOf('policy')
  const seats = (from: number, to: number): readonly GuardianSeat[] =>
    guardians.slice(from, to).flatMap((one) => (one === 'policy' ? [] : [seatOf(one, world)]))
  return turn === -1
    ? { before: [], after: seats(0, guardians.length) }
    : { before: seats(0, turn), after: seats(turn + 1, guardians.length) }
}
