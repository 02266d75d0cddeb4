/** A stretch of text that hides another. */
export interface Unwrapped {
  readonly encoding: 'base64' | 'hex' | 'rot13' | 'reversed' | 'leetspeak' | 'spaced'
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Characters decoded for one text, all encodings together. */
const BUDGET = 32_768
/** Of one stretch. */
const LONGEST = 8192

const HEX = /(?<![0-9A-Za-z])(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[ ,:]?){16,2048}(?![0-9A-Za-z])/g
const SPACED = /(?<![A-Za-z0-9])(?:[A-Za-z][ ._*-]{1,3}){9,500}[A-Za-z](?![A-Za-z0-9])/g

/** Small words of a text turned about: letters by 13 places, or from right to left. */
const ROT13_WORDS = /\b(?:gur|naq|lbh|lbhe|abg|nyy|guvf|vtaber|vafgehpgvbaf|cerivbhf|cebzcg|flfgrz|sebz|jvgu)\b/gi
const REVERSED_WORDS = /\b(?:eht|dna|uoy|ruoy|lla|siht|erongi|snoitcurtsni|suoiverp|tpmorp|metsys|morf|htiw)\b/gi
const LEET_WORD = /(?<![\w$@])[a-z0-9@$!|]{3,16}(?![\w$@])/gi

/** A stretch of a text. */
interface Place {
  readonly start: number
  readonly end: number
}

/** Shorter base64 holds no order. */
const SHORTEST_BASE64 = 24

/** What a text holds at most of what encodings are made of: long runs tell that a search is worth its price. */
interface Runs {
  /** Runs of so many characters of base64 that a sentence fits in. */
  readonly base64: readonly Place[]
  /** Longest run of hexadecimal digits and what stands between pairs of them. */
  readonly hex: number
  /** Most single letters in a row. */
  readonly singles: number
}

const IN_BASE64 = 1
const IN_HEX = 2
const LETTER = 4

/** Classes of ASCII characters. */
const CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return (
    (/[A-Za-z0-9+/_-]/.test(char) ? IN_BASE64 : 0) |
    (/[0-9A-Fa-fx\\% ,:]/.test(char) ? IN_HEX : 0) |
    (/[A-Za-z0-9]/.test(char) ? LETTER : 0)
  )
})

const runsOf = (text: string): Runs => {
  const base64: Place[] = []
  let hex = 0
  let singles = 0
  let base64Run = 0
  let hexRun = 0
  let singleRun = 0
  let token = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    const kind = code < 128 ? (CLASS[code] ?? 0) : 0
    if ((kind & IN_BASE64) !== 0) base64Run++
    else {
      if (base64Run >= SHORTEST_BASE64) base64.push({ start: at - base64Run, end: at })
      base64Run = 0
    }
    hexRun = (kind & IN_HEX) === 0 ? 0 : hexRun + 1
    if (hexRun > hex) hex = hexRun
    if ((kind & LETTER) !== 0) {
      token++
      continue
    }
    if (token === 0) continue
    singleRun = token === 1 ? singleRun + 1 : 0
    if (singleRun > singles) singles = singleRun
    token = 0
  }
  return { base64, hex, singles }
}

/** What every such passage of some length holds; asked first, because asking costs next to nothing. */
const ROT13_GATE = [' gur ', ' naq ', 'vtaber', 'vafgehpgvba', 'cebzcg']
const REVERSED_GATE = [' eht ', ' dna ', 'erongi', 'noitcurtsni', 'tpmorp']
const LEET_GATE = /[a-z][013457@$!|][a-z]/i

/** Words of which two in leetspeak tell that a passage is written so; hashes and versions never spell them. */
const LEET_TELLS = new Set(
  'ignore disregard forget previous prior instructions instruction prompt system reveal password secret rules send print delete override above all the you your tell show'.split(
    ' ',
  ),
)

/** How much of a text is printable; what is decoded by mistake is not. */
const isText = (text: string): boolean => {
  if (text.length < 12) return false
  let good = 0
  let letters = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code > 0xbf && code !== 0xfffd)
    if (isLetter || code === 32) letters++
    if (isLetter || (code >= 32 && code < 127) || code === 10 || code === 13 || code === 9) good++
  }
  return good >= text.length * 0.95 && letters >= text.length * 0.7 && /\s/.test(text)
}

const utf8 = new TextDecoder()

const reversed = (value: string): string => Array.from(value).toReversed().join('')

const fromBase64 = (value: string): string => {
  const plain = value
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  const whole = plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0))
  const bytes = Uint8Array.from(atob(whole), (char) => char.charCodeAt(0))
  return utf8.decode(bytes)
}

const fromHex = (value: string): string => {
  const digits = value.replaceAll(/\\x|0x|[^0-9A-Fa-f]/g, '')
  const bytes = Uint8Array.from({ length: digits.length >> 1 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  )
  return utf8.decode(bytes)
}

const rotate = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (char) => {
    const code = char.charCodeAt(0)
    const base = code < 97 ? 65 : 97
    return String.fromCharCode(((code - base + 13) % 26) + base)
  })

const LEET: Readonly<Record<string, string>> = Object.fromEntries(
  ['0o', '1i', '3e', '4a', '5s', '7t', '@a', '$s', '!i', '|l'].map((pair) => [pair.charAt(0), pair.charAt(1)]),
)

const plainOf = (text: string): string => text.replaceAll(/[013457@$!|]/g, (char) => LEET[char] ?? char)

/** Words with a wider gap between them stay words. */
const joined = (value: string): string =>
  value
    .replaceAll(/[ ._*-]{2,3}/g, '\n')
    .replaceAll(/[ ._*-]/g, '')
    .replaceAll('\n', ' ')

const isLeet = (word: string): boolean => {
  if (!/[013457@$!|]/.test(word)) return false
  const lower = word.toLowerCase()
  const plain = plainOf(lower)
  return plain !== lower && LEET_TELLS.has(plain)
}

/** From the first to the last word that tells, when there are so many, and no further than may be decoded. */
const stretch = (text: string, { pattern, least = 1, tells }: Encoding): Place | undefined => {
  let start = -1
  let end = 0
  let count = 0
  for (const match of text.matchAll(pattern)) {
    if (tells?.(match[0]) === false) continue
    if (start === -1) start = match.index
    if (match.index - start > LONGEST) break
    end = match.index + match[0].length
    count++
  }
  return count < least ? undefined : { start, end }
}

interface Encoding {
  readonly encoding: Unwrapped['encoding']
  /** Without it a text has no such passage. */
  readonly gate: (text: string, runs: Runs) => boolean
  readonly pattern: RegExp
  /** Set when the matches are words that tell, of a passage that has at least so many; else each is decoded by itself. */
  readonly least?: number
  readonly tells?: (word: string) => boolean
  readonly decode: (value: string) => string
}

const ENCODINGS: readonly Encoding[] = [
  { encoding: 'hex', gate: (_text, { hex }) => hex >= 32, pattern: HEX, decode: fromHex },
  { encoding: 'spaced', gate: (_text, { singles }) => singles >= 8, pattern: SPACED, decode: joined },
  {
    encoding: 'rot13',
    gate: (text) => ROT13_GATE.some((sign) => text.includes(sign)),
    pattern: ROT13_WORDS,
    least: 3,
    decode: rotate,
  },
  {
    encoding: 'reversed',
    gate: (text) => REVERSED_GATE.some((sign) => text.includes(sign)),
    pattern: REVERSED_WORDS,
    least: 3,
    decode: reversed,
  },
  {
    encoding: 'leetspeak',
    gate: (text) => LEET_GATE.test(text),
    pattern: LEET_WORD,
    least: 2,
    tells: isLeet,
    decode: plainOf,
  },
]

/** Passages that were turned, spelt or encoded, read as what they hide. Work is bounded whatever the text. */
export const unwrap = (text: string): readonly Unwrapped[] => {
  const found: Unwrapped[] = []
  const runs = runsOf(text)
  let budget = BUDGET
  const take = (encoding: Unwrapped['encoding'], decode: (value: string) => string, { start, end }: Place): void => {
    if (budget <= 0) return
    const decoded = decode(text.slice(start, end))
    budget -= end - start
    if (encoding === 'spaced' || isText(decoded)) found.push({ encoding, text: decoded, start, end })
  }
  for (const { start, end } of runs.base64) take('base64', fromBase64, { start, end: Math.min(end, start + LONGEST) })
  for (const encoding of ENCODINGS) {
    if (!encoding.gate(text, runs)) continue
    if (encoding.least === undefined) {
      for (const { index, 0: value } of text.matchAll(encoding.pattern)) {
        if (budget <= 0) return found
        take(encoding.encoding, encoding.decode, { start: index, end: index + value.length })
      }
    } else {
      const place = stretch(text, encoding)
      if (place !== undefined)
        take(encoding.encoding, encoding.decode, {
          start: lineStart(text, place.start),
          end: lineEnd(text, place.end),
        })
    }
  }
  return found
}

/** The rest of the line, not more than 200 characters: the words that told stand among others. */
const lineStart = (text: string, at: number): number => {
  const line = text.lastIndexOf('\n', at - 1) + 1
  return Math.max(at === 0 ? 0 : line, at - 200)
}

const lineEnd = (text: string, at: number): number => {
  const line = text.indexOf('\n', at)
  return Math.min(line === -1 ? text.length : line, at + 200)
}

/** Every pattern of this file, for the test of their safety. */
export const ENCODED_PATTERNS: readonly RegExp[] = ENCODINGS.map(({ pattern }) => pattern)
