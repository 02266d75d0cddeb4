/** What a code unit is in a word: 1 to 26 a letter, BLOT a blotted one, SILENT nothing, OTHER a letter like no other. */
export const BLOT = 27
export const SILENT = 28
export const OTHER = 29
/** A sign that is a letter only before another one: `b!tch`, but not `stop!`. */
export const INNER = 64

/** Letters of other alphabets and signs that are read as Latin ones. */
const LOOK_ALIKES =
  '0o 1i 3e 4a 5s 7t 8b @a $s аa сc еe оo рp хx уy іi ѕs кk нh тt вb мm αa εe ιi κk νv οo ρp τt υu χx ıi ɡg øo łl'

/** Number of a plain letter, 1 to 26; 0 for anything else. */
export const letter = (sign: string): number => (/^[a-z]$/.test(sign) ? sign.charCodeAt(0) - 96 : 0)

/** What every code unit is in a word; 0 where it ends one. */
export const createLetterTable = (): Uint8Array => {
  const table = new Uint8Array(0x1_0000).fill(OTHER, 0xc0, 0x2000)
  table.fill(OTHER, 0x3040, 0xfb00)
  table.fill(SILENT, 0x300, 0x370)
  const put = (code: number): void => {
    const plain = String.fromCharCode(code).normalize('NFKD').toLowerCase().charAt(0)
    if (letter(plain) > 0) table[code] = letter(plain)
  }
  for (let code = 0x41; code < 0x250; code++) put(code)
  for (let code = 0xff21; code < 0xff5b; code++) put(code)
  for (const pair of LOOK_ALIKES.split(' ')) {
    const value = letter(pair.charAt(1))
    table[pair.charCodeAt(0)] = value
    table[pair.charAt(0).toUpperCase().charCodeAt(0)] ||= value
    if (/\p{L}/u.test(pair.charAt(0))) table[pair.charAt(0).toUpperCase().charCodeAt(0)] = value
  }
  for (const sign of "'’") table[sign.charCodeAt(0)] = SILENT
  for (const sign of '!|+') table[sign.charCodeAt(0)] = INNER | (sign === '+' ? 20 : 9)
  table['*'.charCodeAt(0)] = BLOT
  return table
}
