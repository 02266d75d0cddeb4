import type { View } from './view.ts'

/** Shorter runs hold nothing that is told by its form; of longer ones the head is read. */
const SHORTEST = 20
const LONGEST = 32_768
/** So many characters must be plain text from the first on, which random bytes never are. */
const HEAD = 12

/** The six bits of each character, both alphabets; 64 for the padding, 255 for all others. */
const SIX_BITS: Readonly<Uint8Array> = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  const at = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(sign)
  return at === -1 ? ({ '-': 62, _: 63 }[sign] ?? 255) : at
})

const sixBits = (text: string, at: number): number => SIX_BITS[text.charCodeAt(at)] ?? 255

const isPlain = (byte: number): boolean => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9

/** The bytes of a run as characters, or nothing where they are no text. */
const decode = (text: string, from: number, to: number): string | undefined => {
  let result = ''
  let bits = 0
  let held = 0
  for (let at = from; at < to; at++) {
    bits = ((bits << 6) | sixBits(text, at)) & 0xffff
    held += 6
    if (held < 8) continue
    held -= 8
    const byte = (bits >> held) & 0xff
    if (!isPlain(byte) && (result.length < HEAD || byte < 128)) return undefined
    result += String.fromCharCode(byte)
  }
  return result.length < HEAD ? undefined : result
}

/** The text a whole value stands for in base64, if it is text. */
export const decodeBase64 = (value: string): string | undefined => {
  const body = value.replace(/={1,2}$/, '')
  for (let at = 0; at < body.length; at++) if (sixBits(body, at) > 63) return undefined
  try {
    return atob(body.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

/** What the runs of base64 in a text say. A secret in one takes the whole run with it. */
export const base64Views = (text: string): readonly View[] => {
  const views: View[] = []
  for (let at = 0; at < text.length; at++) {
    if (sixBits(text, at) > 63) continue
    const from = at
    while (at < text.length && sixBits(text, at) <= 63) at++
    if (at - from < SHORTEST) continue
    const decoded = decode(text, from, Math.min(at, from + LONGEST))
    if (decoded === undefined) continue
    while (at < text.length && text[at] === '=') at++
    const end = at
    views.push({ text: decoded, origin: () => [from, end] })
  }
  return views
}
