/** An address of another network: it does not reach what listens only on this machine. */
const isElsewhere = (host: string): boolean => {
  const address = host.replace(/^\[|\]$/g, '')
  if (/^\d+(?:\.\d+){3}$/.test(address))
    return !/^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\./.test(address)
  if (address.includes(':')) return !/^(?:::|::1|::ffff:.*|f[cde].*)$/i.test(address)
  return false
}

/**
 * Whether a name may resolve to this machine. The resolver, `/etc/hosts` or the caller decides on names, so only
 * addresses of other machines are certain.
 */
const mayBeHere = (host: string): boolean => !isElsewhere(host)

/** Ports a text may mean: one, a list, a range such as `4700-4800` or `4000:5000`. */
const covers = (ports: ReadonlySet<number>, text: string): boolean =>
  text.split(',').some((part) => {
    const match = /^(\d{1,5})(?:[-:](\d{1,5}))?$/.exec(part.trim())
    if (match === null) return false
    const from = Number(match[1])
    const to = match[2] === undefined ? from : Number(match[2])
    return [...ports].some((port) => port >= from && port <= to)
  })

/** Knows the addresses of the guard by all their names. */
export interface GuardAddresses {
  /** Whether `host:port` may be the guard's; the port may be a range. */
  reached(address: string): boolean
  /** Whether a port, a list or a range of ports includes one of the guard's. */
  covers(ports: string): boolean
  /** Whether a text has the number of a port of the guard in it. */
  named(text: string): boolean
}

/** @param addresses `host:port` each */
export const createGuardAddresses = (addresses: readonly string[]): GuardAddresses => {
  const texts = [...new Set(addresses.map((address) => address.slice(address.lastIndexOf(':') + 1)))].filter(
    (port) => Number(port) > 0,
  )
  const ports = new Set(texts.map(Number))
  return Object.freeze({
    reached: (address: string) => {
      const match = /^(.*):([\d,-]+)$/.exec(address)
      return match !== null && covers(ports, match[2] ?? '') && mayBeHere((match[1] ?? '').toLowerCase())
    },
    covers: (text: string) => covers(ports, text),
    named: (text: string) =>
      texts.some((port) => {
        const at = text.indexOf(port)
        return at >= 0 && new RegExp(`(?<![\\d.])${port}(?!\\d|\\.\\d)`).test(text)
      }),
  })
}
