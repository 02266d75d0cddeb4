import type { Severity } from '../../../protocol/evidence.ts'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import { LEXICON, THREATS, plain } from './lexicon.ts'
import { type ScannedWord, createWordScan, squeeze } from './word-scan.ts'

type Kind = keyof typeof LEXICON | 'threat'

const GRADES: { readonly [K in Kind]: { readonly severity: Severity; readonly confidence: number } } = {
  threat: { severity: 'high', confidence: 0.85 },
  hate: { severity: 'high', confidence: 0.85 },
  insult: { severity: 'medium', confidence: 0.75 },
  profanity: { severity: 'low', confidence: 0.7 },
}

const LOWER: { readonly [S in Severity]: Severity } = { critical: 'high', high: 'medium', medium: 'low', low: 'low' }

/** Who writes so speaks about the words, or about what somebody said. */
const REPORTS =
  /\b(?:said|says|called|quot\w{1,4}|report\w{0,4}|the word|the term|slurs?|offensive|racist|moderat\w{1,4}|filter\w{0,4}|profanity|lexicon|wordlist|blocklist|harass\w{1,6}|abus\w{1,4}|defin\w{1,6}|means?)\b/i

/** How far round a word its context is looked for. */
const REACH = 80

const isReported = (text: string, start: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - REACH), start)
  const after = text.slice(end, end + REACH)
  const quoted = /["“«`'][^"”»`'\n]{0,60}$/.test(before) && /^[^"“«`'\n]{0,60}["”»`']/.test(after)
  return quoted || REPORTS.test(before) || REPORTS.test(after)
}

/** Every form a word is looked up by: squeezed, and with one inner letter blotted out. */
const formsOf = (word: string): readonly string[] => {
  const form = squeeze(word)
  const blotted =
    form.length < 4
      ? []
      : Array.from({ length: form.length - 2 }, (_, at) => `${form.slice(0, at + 1)}*${form.slice(at + 2)}`)
  return [form, ...blotted, ...(form.length > 4 ? [`${form.slice(0, 1)}*${form.slice(-1)}`] : [])]
}

const lexicon = (): ReadonlyMap<string, Kind> =>
  new Map(
    (Object.keys(LEXICON) as (keyof typeof LEXICON)[]).toReversed().flatMap((kind) =>
      plain(LEXICON[kind])
        .split(' ')
        .flatMap((word) => formsOf(word).map((form) => [form, kind] as const)),
    ),
  )

/** Threats by their first word, as lists of words. */
const threats = (): ReadonlyMap<string, readonly (readonly string[])[]> =>
  Map.groupBy(
    plain(THREATS)
      .split('|')
      .map((phrase) => phrase.split(' ').map(squeeze)),
    ([first = '']) => first,
  )

const endOfPhrase = (words: readonly ScannedWord[], phrases: readonly (readonly string[])[]): number | undefined => {
  const phrase = phrases.find((one) => one.every((word, step) => words[step]?.form === word))
  return phrase === undefined ? undefined : words[phrase.length - 1]?.end
}

/**
 * Finds slurs, insults, threats and profanity by their words, also disguised: `sh1t`, `s h i t`, `shiiit`, Cyrillic
 * look-alikes. Knows words and not what is meant by them; what is quoted or reported counts for less.
 */
export const createToxicDetector = (): Detector => {
  const kinds = lexicon()
  const phrases = threats()
  const openings = [...phrases.values()].flat().map(([first = '', second = '']) => [first, second] as const)
  const scan = createWordScan(kinds.keys(), openings)
  const told = (text: string, kind: Kind, { start, end, disguised }: ScannedWord): Match => {
    const { severity, confidence } = GRADES[kind]
    const reported = isReported(text, start, end)
    return {
      category: 'toxic_content',
      type: kind,
      severity: reported ? LOWER[severity] : severity,
      confidence: confidence * (reported ? 0.6 : 1) * (disguised ? 0.9 : 1),
      start,
      end,
    }
  }
  return Object.freeze<Detector>({
    id: 'toxic',
    version: '1',
    detect: (text) => {
      const found: Match[] = []
      for (const word of scan.words(text)) {
        const kind = kinds.get(word.form)
        if (kind !== undefined) found.push(told(text, kind, word))
        const begun = phrases.get(word.form)
        const last = begun === undefined ? undefined : endOfPhrase(scan.wordsFrom(text, word.start, 8), begun)
        if (last !== undefined) found.push(told(text, 'threat', { ...word, end: last }))
      }
      return withoutOverlaps(found, ({ severity }) => ['critical', 'high', 'medium', 'low'].indexOf(severity))
    },
  })
}
