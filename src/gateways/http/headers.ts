import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** Headers of one connection (RFC 9110, 7.6.1), and those that are set anew for the next one. */
const OF_CONNECTION =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|host|content-length|content-encoding|expect)$/

/** What is meant for us and not for the server: the page that asks, and which encodings its client reads. */
const FROM_CLIENT = /^(?:accept-encoding|origin|referer|sec-.*|forwarded|x-forwarded-.*|via)$/

/** What would change how a client treats our address: it is no part of the server's. */
const FROM_SERVER = /^(?:location|refresh|alt-svc|strict-transport-security|clear-site-data|set-cookie)$/

const without = (headers: IncomingHttpHeaders, which: RegExp): OutgoingHttpHeaders => {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/)
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name) && !which.test(name) && !named.includes(name)),
  )
}

/** A client's headers as they go to the server. The answer must come as it is: what is compressed cannot be decided. */
export const toServer = (headers: IncomingHttpHeaders): OutgoingHttpHeaders => ({
  ...without(headers, FROM_CLIENT),
  'accept-encoding': 'identity',
})

/** Headers for a message of our own to the server, in the session of a client's request. */
export const ownHeaders = (headers: IncomingHttpHeaders): OutgoingHttpHeaders => ({
  ...Object.fromEntries(
    Object.entries(toServer(headers)).filter(
      ([name]) => !/^(?:mcp-(?:method|name|param-.*)|last-event-id)$/.test(name),
    ),
  ),
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
})

/** A server's headers as they go to the client. */
export const toClient = (headers: IncomingHttpHeaders): OutgoingHttpHeaders => without(headers, FROM_SERVER)

/** The type of a body, in lower case, without parameters. */
export const typeOf = ({ 'content-type': type = '' }: IncomingHttpHeaders): string =>
  (type.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a body is declared to be in another encoding of characters: another reader would find another text in it. */
export const isForeign = ({ 'content-type': type = '' }: IncomingHttpHeaders): boolean =>
  /charset/i.test(type) && !/^[^;]*;\s*charset\s*=\s*"?utf-?8"?\s*$/i.test(type)

/** Whether a body is compressed. */
export const isEncoded = ({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean =>
  encoding.trim().toLowerCase() !== 'identity'
