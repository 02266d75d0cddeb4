import type { Target } from '../../../protocol/evidence.ts'

/** A target that is a network host. */
export type HostTarget = Extract<Target, { readonly type: 'host' }>

const DEFAULT_PORT: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ftp:': '21',
  'ws:': '80',
  'wss:': '443',
}

/** Whether a text reads as a URL with a host. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)

const withoutUser = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

/**
 * The host of a URL or of a bare `host[:port][/path]`, if any. Numeric spellings of addresses are normalised; user,
 * password and query are omitted from `url`.
 */
export const hostOf = (text: string): HostTarget | undefined => {
  const full = isUrl(text) ? text : `http://${text.replace(/^\/+/, '')}`
  if (!URL.canParse(full)) return undefined
  const url = new URL(full)
  if (url.hostname === '') return undefined
  const port = url.port === '' ? (DEFAULT_PORT[url.protocol] ?? '') : url.port
  return { type: 'host', host: port === '' ? url.hostname : `${url.hostname}:${port}`, url: withoutUser(url) }
}

/** The host of `user@host:path`, `host:path` or a URL, as copying tools and git write it. */
export const remoteOf = (text: string): HostTarget | undefined => {
  if (isUrl(text)) return text.startsWith('file:') ? undefined : hostOf(text)
  const match = /^(?:[^@/\s]+@)?(\[[0-9a-f:]+\]|[\w.-]+):(?!\\)/i.exec(text)
  return match?.[1] === undefined || /^[a-z]$/i.test(match[1]) ? undefined : { type: 'host', host: match[1] }
}
