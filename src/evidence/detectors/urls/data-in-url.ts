import { entropyOf } from '../rule.ts'
import { isEncodedText } from './encoded-words.ts'

/** Usual query parameters of signed links, pages and statistics. */
const USUAL =
  /^(?:x-amz-[a-z-]+|x-goog-[a-z-]+|sig|signature|sign|hmac|hash|(?:access[-_])?token|jwt|key|apikey|api[-_]key|policy|expires?|key-pair-id|awsaccesskeyid|googleaccessid|se|sp|sv|sr|st|state|code|nonce|challenge|code_challenge|client_id|redirect_uri|utm_[a-z]+|gclid|fbclid|ref|etag|v|ver|version|rev|integrity|sha|commit|id|uuid|cursor|page|after|before|svg|logo|logosvg|label|message|cacheseconds)$/i

/** A value with more than a link needs: long and dense, or many words. */
const SHORTEST_DENSE = 40
const FEWEST_BITS = 3.6
const FEWEST_WORDS = 6

const PLAIN_HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27})$/i

/** A part of a URL with its percent codes decoded. */
export const plainOf = (value: string): string => {
  if (!value.includes('%') && !value.includes('+')) return value
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return value
  }
}

/** Whether a value is encoded data: base64, hexadecimal or percent codes throughout. */
const isDense = (value: string): boolean =>
  value.length >= SHORTEST_DENSE &&
  !PLAIN_HASH.test(value) &&
  /^[\w+/=%~.-]+$/.test(value) &&
  /\d/.test(value) &&
  entropyOf(value) >= FEWEST_BITS &&
  !/[a-z]{3,}[-_][a-z]{3,}[-_][a-z]{3,}/.test(value)

const isProse = (value: string): boolean =>
  plainOf(value)
    .split(/[\s_]+/)
    .filter((word) => /^[\p{L}\d,.:@'"-]{2,}$/u.test(word)).length >= FEWEST_WORDS

/** A blank for the reader to fill in, and words for its content: exfiltration by instruction. */
const OPEN_PLACE = /[{<[]([^{}<>[\]]{2,60})/g
const WANTED =
  /data|secret|history|summary|conversation|chat|message|content|password|token|api.?key|base64|encoded|user|context|prompt|e-?mail|file|result|answer|response/i

const hasOpenPlace = (query: string): boolean =>
  [...plainOf(query).matchAll(OPEN_PLACE)].some(([, inside = '']) => WANTED.test(inside))

/** Patterns of this file, for the test of their cost. */
export const DATA_PATTERNS: readonly RegExp[] = [USUAL, OPEN_PLACE, WANTED]

const partsOf = (query: string): readonly (readonly [name: string, value: string])[] =>
  query.split(/[&;]/).map((part) => {
    const cut = part.indexOf('=')
    return cut === -1 ? ['', part] : [part.slice(0, cut), part.slice(cut + 1)]
  })

/** Labels of this total length are not names. */
const LONGEST_LABEL = 40
/** Hexadecimal has fewer signs, so fewer bits per sign. */
const FEWEST_BITS_HEX = 2.6
const HASH_LABEL = /(?:^|-)(?:[0-9a-f]{32}|[0-9a-f]{40})$/i

const isDenseName = (subdomain: string): boolean => {
  const joined = subdomain
    .split('.')
    .filter((label) => label.length > 12)
    .join('')
  if (joined.length < LONGEST_LABEL || !/\d/.test(joined) || HASH_LABEL.test(joined)) return false
  const fewest = /^[0-9a-f]+$/i.test(joined) ? FEWEST_BITS_HEX : FEWEST_BITS
  return /^[a-z0-9-]+$/i.test(joined) && entropyOf(joined) >= fewest
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Whether a part of the path is encoded data; file extensions do not count. */
const hasDensePath = (path: string): boolean =>
  path.split('/').some((part) => isDense(part.replace(/\.[a-z]{2,5}$/i, '').replaceAll(UUID, '')))

/** Parts that could each be a piece of one encoded text. */
const PIECE = /^[\w+/-]{4,2048}={0,2}$/

/** Text that was encoded for transport: in one part of the URL, or split over its parameters or its labels. */
const carriesText = (path: string, query: string, subdomain: string): boolean => {
  const values = partsOf(query).map(([, value]) => plainOf(value))
  const segments = path.split('/').map((part) => plainOf(part).replace(/\.[a-z]{2,5}$/i, ''))
  if ([...values, ...segments].some(isEncodedText)) return true
  const piecesOf = (parts: readonly string[]): readonly string[] => parts.filter((part) => PIECE.test(part))
  // Single values and segments were already checked.
  const cut = [piecesOf(values), piecesOf(segments)].filter((pieces) => pieces.length > 1)
  return [...cut, piecesOf(subdomain.split('.'))].some((pieces) => isEncodedText(pieces.join('')))
}

/**
 * How a URL carries data: encoded text, a dense or long query or path, a blank to fill in, or the labels before its
 * domain.
 */
export type Carried = 'text' | 'query' | 'path' | 'open-place' | 'subdomain'

/**
 * Whether a URL carries more than the address of a page.
 * @param rest everything after the host
 * @param subdomain the labels before the registrable domain
 * @param withPath whether a dense path counts: pictures and files have long names
 */
export const carriesData = (rest: string, subdomain: string, withPath: boolean): Carried | undefined => {
  const path = /^[^?#]*/.exec(rest)?.[0] ?? ''
  const query = rest.slice(path.length + 1, path.length + 4097)
  if (hasOpenPlace(query)) return 'open-place'
  if (carriesText(path.slice(0, 2048), query, subdomain)) return 'text'
  if (partsOf(query).some(([name, value]) => !USUAL.test(name) && (isDense(value) || isProse(value)))) return 'query'
  if (isDenseName(subdomain)) return 'subdomain'
  return withPath && hasDensePath(path.slice(0, 2048)) ? 'path' : undefined
}

/** Possible decoded texts of a URL: percent codes, base64 and hexadecimal. Bounded by its length. */
export const unwrapped = (text: string): readonly string[] => {
  const plain = plainOf(text)
  const found = [plain]
  for (const [run] of plain.slice(0, 8192).matchAll(/[A-Za-z0-9+/_-]{20,4096}/g)) {
    if (/^(?:[0-9a-f]{2})+$/i.test(run))
      found.push(run.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
    else found.push(fromBase64(run))
  }
  return found
}

const fromBase64 = (run: string): string => {
  const even = run
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .slice(0, run.length - (run.length % 4 === 1 ? 1 : 0))
  try {
    return atob(even)
  } catch {
    return ''
  }
}
