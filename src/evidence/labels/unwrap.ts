/** UTF-16 code units of one call that are looked through, decoded forms included. */
const LONGEST = 262_144
/** Encodings inside encodings. */
const DEPTH = 3

const BASE64 = /[A-Za-z0-9+/_-]{12,}={0,2}/g
const HEX = /(?:[0-9A-Fa-f]{2}){6,}/g
/** As names of hosts carry data. */
const BASE32 = /[A-Za-z2-7]{16,}/g
const PERCENT = /(?:%[0-9A-Fa-f]{2}){1,}/g
const ESCAPE = /\\x([0-9A-Fa-f]{2})/g

const fromPercent = (text: string): string =>
  text.replace(PERCENT, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'))

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'

const fromBase32 = (run: string): string => {
  let [bits, held, text] = [0, 0, '']
  for (const letter of run.toLowerCase()) {
    bits = ((bits << 5) | LETTERS.indexOf(letter)) & 0xfff
    held += 5
    if (held < 8) continue
    held -= 8
    text += String.fromCharCode((bits >> held) & 0xff)
  }
  return text
}

const decoded = (text: string): readonly string[] => {
  const forms: string[] = []
  if (text.includes('%')) forms.push(fromPercent(text))
  if (text.includes('\\x'))
    forms.push(text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))))
  for (const [run] of text.matchAll(BASE32)) forms.push(fromBase32(run))
  for (const [run] of text.matchAll(HEX)) forms.push(Buffer.from(run, 'hex').toString('latin1'))
  // Characters before the encoded part may belong to the same run: each of the four alignments is tried.
  for (const [run] of text.matchAll(BASE64))
    for (let skip = 0; skip < 4; skip++) forms.push(Buffer.from(run.slice(skip), 'base64').toString('latin1'))
  return forms
}

/** A text and what it holds in base64, hex, percent codes and escapes, also inside one another. Bounded. */
export const unwrapped = (text: string): readonly string[] => {
  const all = [text.slice(0, LONGEST)]
  let layer: readonly string[] = all
  let room = LONGEST * 2
  for (let depth = 0; depth < DEPTH && layer.length > 0; depth++) {
    const next: string[] = []
    for (const form of layer.flatMap(decoded)) {
      room -= form.length
      if (room < 0) return all
      if (form.length >= 8) next.push(form)
    }
    all.push(...next)
    layer = next
  }
  return all
}

const LONG_BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,2048}={0,2}/g
const LONG_HEX = /(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){8,1024}/g
const READABLE = /^[\x20-\x7e\s]{8,}$/

/** Patterns that go over whole texts, for the test that holds them to linear time. */
export const UNWRAP_PATTERNS = { base64: LONG_BASE64, hex: LONG_HEX, percent: PERCENT }

/** The readable texts that a text holds in base64, hex or percent codes, each once inside another too. Linear. */
export const readableIn = (text: string, depth = 2): readonly string[] => {
  if (depth === 0) return []
  const forms: string[] = []
  for (const [run] of text.matchAll(LONG_BASE64)) forms.push(Buffer.from(run, 'base64').toString('latin1'))
  for (const [run] of text.matchAll(LONG_HEX)) forms.push(Buffer.from(run, 'hex').toString('latin1'))
  if (/%[0-9A-Fa-f]{2}/.test(text)) forms.push(fromPercent(text))
  const readable = forms.filter((form) => READABLE.test(form))
  return [...readable, ...readable.flatMap((form) => readableIn(form, depth - 1))]
}
