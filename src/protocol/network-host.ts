/** A host as it is compared: lower case, without brackets, port and a dot at the end. */
export const bareHost = (host: string): string => {
  const lower = host.toLowerCase().replace(/\.$/, '')
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(lower)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return /^[^:]*:\d+$/.test(lower) ? lower.replace(/\.?:\d+$/, '') : lower
}

/** Addresses as resolvers read them, short forms of IPv4 and IPv4 in IPv6 too, and the names of RFC 6761. */
const LOOPBACK =
  /^(?:(?:[^.:/\s]{1,63}\.){0,16}localhost|127(?:\.\d{1,10}){1,3}|0(?:\.0){0,3}|(?:0:){7}[01]|::1?|::ffff:(?:127(?:\.\d{1,3}){3}|7f[\da-f]{2}:[\da-f]{1,4}|0\.0\.0\.0|0:0))$/

/** What most hosts are not: asked first, because it is quick. */
const LIKELY = /localhost|^\[?(?:127|0|:)/i

/** Whether a host, with or without a port, is the machine that asks for it: what goes there does not leave it. */
export const isLoopback = (host: string): boolean => LIKELY.test(host) && LOOPBACK.test(bareHost(host))
