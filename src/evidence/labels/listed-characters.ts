/** Fewer characters than this make no piece of a secret that counts. */
const FEWEST = 8

const DECIMAL = /(?<!\d)\d{2,3}(?!\d)/g
const HEX_PAIRS = /(?<![0-9A-Za-z])(?:0x|x|u00|U\+00|00)?(?:[\da-f]{2}){1,8}(?![0-9A-Za-z])/gi
const OCTAL = /(?<!\d)0{0,2}[01]?[0-7]{2}(?!\d)/g
const BINARY = /(?<!\d)[01]{7,8}(?!\d)/g
const DIGITS = /\d{20,2048}/g
const BITS = /[01]{32,1024}/g

/** Patterns that are applied to whole texts, for the test of linear time. */
export const LIST_PATTERNS = {
  decimal: DECIMAL,
  hex: HEX_PAIRS,
  octal: OCTAL,
  binary: BINARY,
  digits: DIGITS,
  bits: BITS,
}

/** The characters that numbers stand for; numbers that are not printed ASCII are passed over. */
const charactersOf = (numbers: readonly string[], radix: number): string =>
  numbers
    .map((number) => Number.parseInt(number, radix))
    .map((code) => (code > 31 && code < 127 ? String.fromCharCode(code) : ''))
    .join('')

const every = (digits: string, size: number): readonly string[] => digits.match(new RegExp(`.{${size}}`, 'g')) ?? []

/** Numbers that stand next to each other: of three digits each, or of three only where the first is a 1. */
const inDigits = (run: string): readonly string[] => [
  charactersOf(every(run, 3), 10),
  charactersOf(run.match(/1[0-2]\d|\d\d/g) ?? [], 10),
]

/** Characters that a text lists by their numbers: `120,107`, `chr(120)`, `0x78`, `01111000`, `120107067`. */
export const listedCharacters = (text: string): readonly string[] => {
  if (!/\d/.test(text)) return []
  const forms = [
    charactersOf(text.match(DECIMAL) ?? [], 10),
    charactersOf(text.match(OCTAL) ?? [], 8),
    charactersOf(text.match(BINARY) ?? [], 2),
    Buffer.from(
      (text.match(HEX_PAIRS) ?? []).map((pair) => pair.replace(/^(?:0x|x|u00|U\+00|00)/i, '')).join(''),
      'hex',
    ).toString('latin1'),
    ...(text.match(DIGITS) ?? []).flatMap(inDigits),
    ...(text.match(BITS) ?? []).flatMap((run) => [charactersOf(every(run, 8), 2), charactersOf(every(run, 7), 2)]),
  ]
  return forms.filter((form) => form.length >= FEWEST)
}
