import type { Severity } from '../../../protocol/evidence.ts'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import { type ScannedWord, createWordScan, squeeze } from './word-scan.ts'

/**
 * Words by kind, in ROT13 so that nobody has to read them. Words that also occur in ordinary texts and code are
 * omitted.
 */
export const LEXICON = {
  hate: 'avttre avttn avttref avttnf avttnm avtthu snttbg snttbgf snt sntf snttl xvxr xvxrf fcvp fcvpf puvax puvaxf tbbx tbbxf jrgonpx jrgonpxf ornare ornaref enturnq enturnqf gbjryurnq gbjryurnqf fnaqavttre qnexvr qnexvrf genaal genaavrf furznyr qlxr qlxrf cnxvf tlcb xnssve fhouhzna fhouhznaf ergneq ergneqf ergneqrq wvtnobb cbepuzbaxrl mvccreurnq',
  insult:
    'ovgpu ovgpurf ovgpul phag phagf juber juberf fyhg fyhgf fyhggl ubr ubrf gubg gubgf onfgneq onfgneqf nffubyr nffubyrf nefrubyr nefrubyrf qvpxurnq qvpxurnqf zbgureshpxre zbgureshpxref zbgureshpxvat zbgureshpxva jnaxre jnaxref gjng gjngf qbhpuront qbhpurontf qhzonff qhzonffrf wnpxnff fphzont fphzontf shpxgneq pbpxfhpxre pbpxfhpxref fuvgurnq fuvgurnqf shpxsnpr',
  profanity:
    'shpx shpxf shpxrq shpxre shpxref shpxvat shpxva shpxa shx shpxobl fuvg fuvgf fuvggl ohyyfuvg chffl chffvrf gvggvrf oybjwbo tbqqnza cvffrq jgs fgsh obyybpxf',
} as const satisfies Readonly<Record<string, string>>

/** Threats or wishes of harm in two or more words, in ROT13 and in their plain forms (word-scan.ts). */
export const THREATS =
  'xvyy lbhefrys|xvyy hefrys|xvyy he frys|xvyy lbhe frys|tb qvr|ubcr lbh qvr|ubcr h qvr|ubcr gurl qvr|v jvyy xvyy lbh|vz tbaan xvyy lbh|v nz tbvat gb xvyy lbh|vz tbvat gb xvyy lbh|vyy xvyy lbh|v xvyy lbh|lbh fubhyq qvr|lbh qrfreir gb qvr|gurl fubhyq nyy qvr|tnf gur|unat lbhefrys|qevax oyrnpu|fyvg lbhe guebng|fyvg lbhe jevfgf|fubbg lbh va gur|orng lbhe nff|encr lbh|ohea va uryy|v jvyy svaq lbh naq|fubhyq or rkgrezvangrq|fubhyq or fubg'

/** Decodes ROT13. */
export const plain = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97))

type Kind = keyof typeof LEXICON | 'threat'

const GRADES: { readonly [K in Kind]: { readonly severity: Severity; readonly confidence: number } } = {
  threat: { severity: 'high', confidence: 0.85 },
  hate: { severity: 'high', confidence: 0.85 },
  insult: { severity: 'medium', confidence: 0.75 },
  profanity: { severity: 'low', confidence: 0.7 },
}

const LOWER: { readonly [S in Severity]: Severity } = { critical: 'high', high: 'medium', medium: 'low', low: 'low' }

/** Words of a text about the words, or about another person's statement. */
const REPORTS =
  /\b(?:said|says|called|quot\w{1,4}|report\w{0,4}|the word|the term|slurs?|offensive|racist|moderat\w{1,4}|filter\w{0,4}|profanity|lexicon|wordlist|blocklist|harass\w{1,6}|abus\w{1,4}|defin\w{1,6}|means?)\b/i

/** Range of the context around a word. */
const REACH = 80

const isReported = (text: string, start: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - REACH), start)
  const after = text.slice(end, end + REACH)
  const quoted = /["“«`'][^"”»`'\n]{0,60}$/.test(before) && /^[^"“«`'\n]{0,60}["”»`']/.test(after)
  return quoted || REPORTS.test(before) || REPORTS.test(after)
}

/** All forms for the lookup of a word: squeezed, and with one inner letter blotted out. */
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

/** Threats by first word, as lists of words. */
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
 * look-alikes. Lexical, without their meaning; quotations and reports count for less.
 */
export const createToxicDetector = (): Detector => {
  const kinds = lexicon()
  const phrases = threats()
  const openings = [...phrases.values()].flat().map(([first = '', second = '']) => [first, second] as const)
  const scan = createWordScan(kinds.keys(), openings)
  const toMatch = (text: string, kind: Kind, { start, end, disguised }: ScannedWord): Match => {
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
        if (kind !== undefined) found.push(toMatch(text, kind, word))
        const begun = phrases.get(word.form)
        const last = begun === undefined ? undefined : endOfPhrase(scan.wordsFrom(text, word.start, 8), begun)
        if (last !== undefined) found.push(toMatch(text, 'threat', { ...word, end: last }))
      }
      return withoutOverlaps(found, ({ severity }) => ['critical', 'high', 'medium', 'low'].indexOf(severity))
    },
  })
}
