/** A range of a text. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Shorter base64 cannot contain an order. */
const SHORTEST_BASE64 = 24

/** Longest runs of the alphabets of encodings in a text: long runs justify a search. */
export interface Runs {
  /** Runs of base64 that are long enough for a sentence. */
  readonly base64: readonly Place[]
  /** Longest run of hexadecimal digits and the separators between pairs of them. */
  readonly hex: number
  /** Longest run of single letters. */
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

/** Scans a text once, for all encodings. */
export const runsOf = (text: string): Runs => {
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
