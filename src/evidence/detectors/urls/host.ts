import { parse } from 'tldts'
import { isLoopback } from '../../../protocol/network-host.ts'
import { skeletonOf } from '../text/confusables.ts'
import { decodePunycode } from './punycode.ts'

/** The target of an address or a name. */
export type HostKind = 'metadata' | 'loopback' | 'private' | 'public-address' | 'name'

/** A host as a resolver reads it, in any spelling. */
export interface Host {
  readonly kind: HostKind
  /** Lower case, numeric spellings of addresses in dotted form, IPv6 without brackets, no port, no final dot. */
  readonly name: string
  /** The registrable domain: `example.co.uk` of `a.b.example.co.uk`; empty for addresses and names without a suffix. */
  readonly domain: string
  /** The labels before that: `a.b`. */
  readonly subdomain: string
}

/**
 * Addresses at which clouds return credentials to any caller inside (AWS, GCP, Azure, Alibaba, Oracle, Tencent,
 * Scaleway, ECS and EKS).
 */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '169.254.42.42',
  'fd00:42::42',
  '100.88.222.5',
])
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.internal',
  'metadata.azure.internal',
  'metadata.azure.com',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'api.metadata.cloud.ibm.com',
  'metadata.exoscale.com',
  'metadata.scaleway.com',
])

/** Services that resolve a name to an address within the name, or to changing addresses. */
const ECHOES =
  /\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|backname\.io|ip\.addr\.tools|my\.local-ip\.co|local-ip\.sh|plex\.direct|rbndr\.us|1u\.ms|rebind\.network)$/

/** An address in a name: dots or dashes between its parts, or eight hexadecimal digits. */
const ECHOED = /(?<![\da-z])(?:(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})|([0-9a-f]{8}))(?![\da-z])/g

/** Names of the local machine besides `localhost`: public domains, and names in `/etc/hosts` of installations. */
const LOOPBACK_NAME =
  /^(?:(?:.{0,200}\.)?(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|localho\.st|traefik\.me)|localhost\.localdomain|ip6-localhost|ip6-loopback)$/

/** Patterns of this file, for the test of their cost. */
export const HOST_PATTERNS: readonly RegExp[] = [ECHOES, ECHOED, LOOPBACK_NAME]

const isV4 = (name: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)

/** The IPv4 address inside an IPv6 one: mapped, compatible, translated (RFC 6052, RFC 8215) or 6to4. */
const v4In = (v6: string): string | undefined => {
  const tail =
    /^(?:::ffff:|::|::ffff:0:|64:ff9b:(?:1:)?:)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(v6) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/.exec(v6)
  if (tail === null) return undefined
  const [high, low] = [Number.parseInt(tail[1] ?? '0', 16), Number.parseInt(tail[2] ?? '0', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

const kindOfV4 = (name: string): HostKind => {
  if (METADATA_ADDRESSES.has(name)) return 'metadata'
  const [a = 0, b = 0] = name.split('.').map(Number)
  if (isLoopback(name)) return 'loopback'
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 198 && (b === 18 || b === 19)) ||
    a >= 224 ||
    a === 0
  return isPrivate ? 'private' : 'public-address'
}

const kindOfV6 = (name: string): HostKind => {
  const inner = v4In(name)
  if (METADATA_ADDRESSES.has(name)) return 'metadata'
  if (isLoopback(name)) return 'loopback'
  if (inner !== undefined) return kindOfV4(inner)
  return /^(?:f[cdf]|fe[89a-f])/.test(name) ? 'private' : 'public-address'
}

/** From the worst on: a name with several addresses is as bad as the worst of them. */
const WORST: readonly HostKind[] = ['metadata', 'private', 'loopback', 'public-address']

const echoedKind = (name: string): HostKind | undefined => {
  const kinds = [...name.matchAll(ECHOED)].map(([, a, b, c, d, hex = '']) =>
    kindOfV4(
      hex === ''
        ? [a, b, c, d].map(Number).join('.')
        : (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)).join('.'),
    ),
  )
  return WORST.find((kind) => kinds.includes(kind))
}

const PRIVATE_NAME = /(?:^|\.)(?:local|localdomain|internal|intranet|private|lan|home|corp|home\.arpa|test|svc|consul)$/

const kindOfName = (name: string): HostKind => {
  if (METADATA_NAMES.has(name)) return 'metadata'
  const echoed = ECHOES.test(name) ? echoedKind(name) : undefined
  if (echoed !== undefined) return echoed
  if (isLoopback(name) || LOOPBACK_NAME.test(name)) return 'loopback'
  return !name.includes('.') || PRIVATE_NAME.test(name) ? 'private' : 'name'
}

const withoutFinalDots = (name: string): string => {
  let end = name.length
  while (end > 0 && name.charAt(end - 1) === '.') end--
  return name.slice(0, end)
}

/** Parses a host, with or without port; numbers in any base and full-width digits are addresses, as in a browser. */
export const readHost = (written: string): Host | undefined => {
  const full = `http://${written}`
  if (/[/?#@\\]/.test(written) || !URL.canParse(full)) return undefined
  const { hostname } = new URL(full)
  const bare = withoutFinalDots(hostname)
  // After two dots a browser no longer parses a number; others do.
  if (hostname.endsWith('..')) return readHost(bare)
  const name = bare.replace(/^\[(.*)\]$/, '$1')
  if (name === '') return undefined
  const address = isV4(name) || name.includes(':')
  const kind = isV4(name) ? kindOfV4(name) : address ? kindOfV6(name) : kindOfName(name)
  const { domain, subdomain } = address ? { domain: null, subdomain: null } : parse(name)
  return { kind, name, domain: domain ?? '', subdomain: subdomain ?? '' }
}

/** Whether a name has a suffix under which names are registered (`github.com`), so that it reads as a host. */
export const isRegistrable = (name: string): boolean => {
  const { domain, isIcann } = parse(name)
  return domain !== null && isIcann === true
}

/**
 * Whether an address is spelled so that people do not recognise it: one number, octal, hexadecimal, mapped, full-width.
 */
export const isObscured = (written: string, { name }: Host): boolean => {
  const bare = written.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return (isV4(name) && bare !== name) || (name.includes(':') && v4In(name) !== undefined)
}

/** The Latin name that an internationalised name imitates: `раураl.com` for `paypal.com`. */
export const passesFor = ({ name }: Host): string | undefined => {
  if (!name.includes('xn--')) return undefined
  const shown = name
    .split('.')
    .map((label) => (label.startsWith('xn--') ? (decodePunycode(label.slice(4)) ?? label) : label))
    .join('.')
  const skeleton = skeletonOf(shown)
  return skeleton !== shown && /^[a-z0-9.-]+$/.test(skeleton) ? skeleton : undefined
}
