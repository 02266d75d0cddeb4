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

/** Lines of mail and of armour are 64 or 76 long; shorter ones are words. */
const SHORTEST_LINE = 40
const LINE_END = /(?:\r?\n|(?:\\r)?\\n)[ \t>|]{0,16}/y

const runEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && sixBits(text, at) <= 63) at++
  return at
}

/** Where the next line of a wrapped run begins, behind the end of this one. */
const nextLine = (text: string, at: number): number | undefined => {
  const lineEnd = new RegExp(LINE_END)
  lineEnd.lastIndex = at
  return lineEnd.test(text) ? lineEnd.lastIndex : undefined
}

/**
 * The lines of a run that was wrapped as mail and `base64` wrap it: each as long as the first, but for the last. The
 * end of the last, and all of them joined.
 */
const wrappedRun = (text: string, from: number, to: number): { readonly end: number; readonly joined: string } => {
  const pieces = [text.slice(from, to)]
  let length = to - from
  let end = to
  if (length < SHORTEST_LINE) return { end, joined: '' }
  for (let start = nextLine(text, end); start !== undefined && length < LONGEST; start = nextLine(text, end)) {
    const stop = Math.min(runEnd(text, start), start + (to - from) + 1)
    if (stop === start || stop - start > to - from) break
    pieces.push(text.slice(start, stop))
    length += stop - start
    end = stop
    if (stop - start < to - from) break
  }
  return { end, joined: pieces.length > 1 ? pieces.join('') : '' }
}

const viewOf = (run: string, from: number, to: number): readonly View[] => {
  const decoded = decode(run, 0, Math.min(run.length, LONGEST))
  return decoded === undefined ? [] : [{ text: decoded, origin: () => [from, to] }]
}

const padded = (text: string, at: number): number => {
  let end = at
  while (end < text.length && text[end] === '=') end++
  return end
}

/** What the runs of base64 in a text say, also over lines. A secret in one takes the whole run with it. */
export const base64Views = (text: string): readonly View[] => {
  const views: View[] = []
  let wrappedTo = 0
  for (let at = 0; at < text.length; at++) {
    if (sixBits(text, at) > 63) continue
    const from = at
    at = runEnd(text, at)
    if (at - from < SHORTEST) continue
    views.push(...viewOf(text.slice(from, Math.min(at, from + LONGEST)), from, padded(text, at)))
    if (from < wrappedTo) continue
    const { end, joined } = wrappedRun(text, from, at)
    wrappedTo = end
    if (joined !== '') views.push(...viewOf(joined, from, padded(text, end)))
  }
  return views
}
