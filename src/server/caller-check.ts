import { isIP } from 'node:net'
import type { ErrorCode } from '../errors/errors.ts'
import { isLoopback } from '../protocol/network-host.ts'
import type { AppRequest } from './request.ts'

/** Why a caller is refused before its request is read. */
export interface CallerRefusal {
  readonly code: Extract<ErrorCode, 'SP_HOST' | 'SP_ORIGIN'>
  readonly details: Readonly<Record<string, string>>
}

/** Longest part of a header that a message repeats, in characters. */
const SHOWN = 100

/** Parses a `Host` header; `undefined` for anything but a host with an optional port. */
const parseHost = (host: string): URL | undefined => {
  if (!/^[\w.\-:[\]]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined
  return new URL(`http://${host}`)
}

/**
 * Checks the name that a request was sent to and the page that sent it, so that a page in a browser of this machine
 * cannot reach the guard by a name that an attacker points here (DNS rebinding), nor by a form or a fetch of its own.
 * Addresses are safe: only names can be pointed elsewhere. Callers of the unix socket have neither name nor page.
 * @param names host names of this server besides addresses and `localhost`, lower case
 */
export const checkCaller = (
  { trusted, host, origin, fetchSite }: Pick<AppRequest, 'trusted' | 'host' | 'origin' | 'fetchSite'>,
  names: readonly string[],
): CallerRefusal | undefined => {
  if (trusted) return undefined
  const named = host === undefined ? undefined : parseHost(host)
  const name = named?.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (named === undefined || name === undefined || (isIP(name) === 0 && !isLoopback(name) && !names.includes(name)))
    return { code: 'SP_HOST', details: { host: (host ?? 'none').slice(0, SHOWN) } }
  const foreign =
    (origin !== undefined && origin !== `http://${named.host}` && origin !== `https://${named.host}`) ||
    fetchSite === 'cross-site' ||
    fetchSite === 'same-site'
  return foreign ? { code: 'SP_ORIGIN', details: { origin: (origin ?? fetchSite ?? '').slice(0, SHOWN) } } : undefined
}
