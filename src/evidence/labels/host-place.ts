import { getDomain } from 'tldts'
import { bareHost, isLoopback } from '../../protocol/network-host.ts'

/**
 * Hosts where everyone has a part: the number of path segments that identify its owner. Naming one part names no other.
 * A new service is one row.
 */
const SHARED_HOSTS: ReadonlyMap<string, number> = new Map([
  ['api.github.com', 3],
  ['api.telegram.org', 1],
  ['bitbucket.org', 2],
  ['codeberg.org', 2],
  ['discord.com', 4],
  ['discordapp.com', 4],
  ['docs.google.com', 4],
  ['drive.google.com', 3],
  ['gist.github.com', 2],
  ['gist.githubusercontent.com', 2],
  ['github.com', 2],
  ['gitlab.com', 2],
  ['hooks.slack.com', 4],
  ['hooks.zapier.com', 4],
  ['pastebin.com', 1],
  ['raw.githubusercontent.com', 2],
  ['s3.amazonaws.com', 1],
  ['script.google.com', 3],
  ['storage.googleapis.com', 1],
  ['webhook.site', 1],
])

/** A host, with the corner of it where a path leads when many share it: `github.com/owner/name`. */
export const placeOf = (host: string, path: string): string => {
  const segments = SHARED_HOSTS.get(host)
  if (segments === undefined) return host
  const names = path.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).slice(0, segments) ?? []
  return [host, ...names.map((name) => name.replace(/\.git$/, ''))].join('/')
}

/** Whether a host is shared by strangers, so that its name identifies nobody. */
export const isShared = (host: string): boolean => SHARED_HOSTS.has(host)

/** The domain of one owner, by the public suffix list; addresses and single labels have none. */
export const domainOf = (host: string): string | undefined =>
  isShared(host) ? undefined : (getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? undefined)

/** Whether a host is this machine, or the one that a container runs on: nothing that goes there leaves it. */
export const isLocal = (host: string): boolean => isLoopback(host) || bareHost(host) === 'host.docker.internal'
