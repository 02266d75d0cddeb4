/** What a code unit is in a word: 1 to 26 a letter, BLOT a blotted one, SILENT nothing, OTHER a letter like no other. */
const BLOT = 27
const SILENT = 28
const OTHER = 29
/** A sign that is a letter only before another one: `b!tch`, but not `stop!`. */
const INNER = 64

/** Letters of other alphabets and signs that are read as Latin ones. */
const LOOK_ALIKES =
  '0o 1i 3e 4a 5s 7t 8b @a $s аa сc еe оo рp хx уy іi ѕs кk нh тt вb мm αa εe ιi κk νv οo ρp τt υu χx ıi ɡg øo łl'

const letter = (sign: string): number => (/^[a-z]$/.test(sign) ? sign.charCodeAt(0) - 96 : 0)

const buildTable = (): Uint8Array => {
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

/** Letters that stand more than once in a row, once: the lexicon and the text are both read so. */
export const squeeze = (word: string): string => word.replace(/(.)\1{1,64}/gu, '$1')

/** A word as it is looked up: lower case, marks off, look-alikes replaced, repeated letters once, `*` for a blot. */
export interface ScannedWord {
  readonly form: string
  /** Written with signs for letters, or spread out. */
  readonly disguised: boolean
  readonly start: number
  readonly end: number
}

/** Finds the words of a lexicon in one pass. */
export interface WordScan {
  /** Words that are in the lexicon, and the first words of its phrases, in the order of the text. */
  words(text: string): readonly ScannedWord[]
  /** The words of a text from a place on, at most so many. */
  wordsFrom(text: string, at: number, most: number): readonly ScannedWord[]
}

const GATE = 1 << 15
const step = (hash: number, value: number): number => (Math.imul(hash, 31) + value) & (GATE - 1)

/** More letters in a row, spread out, are a list of letters. */
const LONGEST_RUN = 24

/** Longer words are none of the lexicon; this many code units of one are read. */
const LONGEST = 64

/**
 * @param forms squeezed words to be found
 * @param openings first two words of phrases, squeezed; both have to stand there for the first to be told
 */
export const createWordScan = (
  forms: Iterable<string>,
  openings: Iterable<readonly [first: string, second: string]>,
): WordScan => {
  const table = buildTable()
  const wanted = new Set(forms)
  const gate = new Uint8Array(GATE)
  const pairs = new Uint8Array(GATE)
  const hashOf = (word: string): number =>
    word.split('').reduce((hash, sign) => step(hash, sign === '*' ? BLOT : letter(sign)), 7)
  for (const form of wanted) gate[hashOf(form)] = 1
  for (const [first, second] of openings) pairs[step(hashOf(first), hashOf(second))] = 1

  const valueAt = (text: string, at: number): number => {
    const value = table[text.charCodeAt(at)] ?? 0
    if ((value & INNER) === 0) return value
    const next = table[text.charCodeAt(at + 1)] ?? 0
    return next > 0 && next < BLOT ? value & ~INNER : 0
  }
  const read = (text: string, start: number, end: number): ScannedWord => {
    let form = ''
    let disguised = false
    for (let at = start; at < end; at++) {
      const value = valueAt(text, at)
      const sign = value === BLOT ? '*' : value > 0 && value < BLOT ? String.fromCharCode(96 + value) : ''
      if (value !== SILENT && sign !== text.charAt(at).toLowerCase()) disguised = true
      if (value === OTHER) form += '?'
      if (sign !== form.at(-1)) form += sign
    }
    return { form, disguised, start, end }
  }
  const spread = (text: string, start: number, end: number): ScannedWord => {
    const letters = read(
      Array.from({ length: (end - start + 1) >> 1 }, (_, at) => text.charAt(start + at * 2)).join(''),
      0,
      (end - start + 1) >> 1,
    )
    return { form: letters.form, disguised: true, start, end }
  }

  const words = (text: string): readonly ScannedWord[] => {
    const found: ScannedWord[] = []
    let previous = { hash: 0, start: 0, end: -1 }
    let run = 0
    let runStart = 0
    const endRun = (end: number): void => {
      const one = run > 2 && run <= LONGEST_RUN ? spread(text, runStart, end) : undefined
      if (one !== undefined && wanted.has(one.form)) found.push(one)
      run = 0
    }
    for (let at = 0; at <= text.length;) {
      if (at === text.length || valueAt(text, at) === 0) {
        at++
        continue
      }
      const start = at
      let hash = 7
      let last = 0
      for (let value = valueAt(text, at); value !== 0 && at < text.length; value = valueAt(text, ++at)) {
        if (value !== SILENT && value !== last) hash = step(hash, value)
        if (value !== SILENT) last = value
      }
      if (at - start > LONGEST) continue
      if (gate[hash] === 1) {
        const word = read(text, start, at)
        if (wanted.has(word.form)) found.push(word)
      }
      if (pairs[step(previous.hash, hash)] === 1 && previous.end >= 0)
        found.push(read(text, previous.start, previous.end))
      const single = at - start === 1
      const joins =
        single && run > 0 && start === previous.end + 1 && (run < 2 || text[start - 1] === text[runStart + 1])
      if (!joins) {
        endRun(previous.end)
        runStart = start
      }
      run = single ? run + 1 : 0
      previous = { hash, start, end: at }
    }
    endRun(previous.end)
    return found
  }

  const wordsFrom = (text: string, from: number, most: number): readonly ScannedWord[] => {
    const found: ScannedWord[] = []
    for (let at = from; at < text.length && found.length < most && at < from + 400; at++) {
      if (valueAt(text, at) === 0) continue
      const start = at
      while (at < text.length && at - start < LONGEST && valueAt(text, at) !== 0) at++
      found.push(read(text, start, at))
    }
    return found
  }

  return Object.freeze({ words, wordsFrom })
}
