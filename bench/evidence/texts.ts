import { createDetectors } from '../../src/assembly/detection/detectors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { loadedSqlParser } from '../../src/assembly/detection/sql-parser.ts'
import { createTextScanner } from '../../src/assembly/detection/text-scan.ts'
import type { TextFinding, TextScanner } from '../../src/assembly/detection/text-scan.ts'
import { areaUnderCurve, truePositivesAt } from '../../scripts/train/metrics.ts'
import { SOURCES } from '../../scripts/train/sources.ts'
import type { Channel } from '../../src/protocol/step.ts'
import { CHANNELS } from '../../src/protocol/step.ts'
import { readTexts, SLICES } from './slices.ts'
import type { Row, Slice } from './slices.ts'
import { share, tallyFigures } from './tally.ts'
import type { Tally } from './tally.ts'

type Figures = Record<string, number>

/** The detectors' types of what the data set calls so; other words are no job of detectors that read patterns. */
const PII_TYPES: Readonly<Record<string, readonly string[]>> = {
  CREDIT_CARD: ['card'],
  EMAIL_ADDRESS: ['email'],
  IBAN_CODE: ['iban'],
  IP_ADDRESS: ['private-ipv4', 'ip-address'],
  PHONE_NUMBER: ['phone'],
  US_DRIVER_LICENSE: ['driver-license'],
  US_SSN: ['ssn'],
}

/** What has no form and is found only where words announce it: counted by type, and not in all. */
const ANNOUNCED_TYPES: typeof PII_TYPES = { PERSON: ['person-name'], STREET_ADDRESS: ['postal-address'] }

/** A text with its label and what was found in it. */
interface Scanned {
  readonly row: Row
  readonly findings: readonly TextFinding[]
}

/** Sets that the injection model was trained on, with those of the same origin: its results on them measure nothing. */
const SEEN_BY_MODEL: ReadonlySet<string> = new Set(SOURCES.map(({ name }) => name))
/** Ends the name of a figure of texts that what is measured has been trained on. */
const SEEN = '_seen'

/**
 * Shares of texts in which a detector finds something: `_fpr` of the benign ones; of the attacks `_tpr` where the
 * finding is what they are, `_other` where it is something else. Zeroes of `_other` are left out.
 */
const rateFigures = ({ name, finds }: Slice, scanned: readonly Scanned[], detectors: readonly string[]): Figures => {
  const figures: Figures = {}
  const isSeen = SEEN_BY_MODEL.has(name)
  const benign = scanned.filter(({ row }) => row.label === 'benign' || finds === undefined)
  const attacks = scanned.filter(({ row }) => row.label === 'attack' && finds !== undefined)
  const rate = (texts: readonly Scanned[], holds: (finding: TextFinding) => boolean): number =>
    share(texts.filter(({ findings }) => findings.some(holds)).length, texts.length)
  for (const id of detectors) {
    const seen = isSeen && id === 'injection' ? SEEN : ''
    if (benign.length > 0) figures[`${name}.${id}_fpr${seen}`] = rate(benign, ({ detector }) => detector === id)
    const right = rate(attacks, ({ detector, category }) => detector === id && category === finds)
    const other = rate(attacks, ({ detector, category }) => detector === id && category !== finds)
    if (right > 0) figures[`${name}.${id}_tpr${seen}`] = right
    if (other > 0) figures[`${name}.${id}_other${seen}`] = other
  }
  if (attacks.length > 0)
    figures[`${name}.tpr${isSeen ? SEEN : ''}`] = rate(attacks, ({ category }) => category === finds)
  return figures
}

const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end

/** Spans of personal data, by type and in all: found where a finding of the type overlaps the marked span. */
const spanFigures = (name: string, scanned: readonly Scanned[]): Figures => {
  const all: Tally = { hit: 0, missed: 0, false: 0 }
  const figures: Figures = {}
  for (const [word, types] of Object.entries({ ...PII_TYPES, ...ANNOUNCED_TYPES })) {
    const one: Tally = { hit: 0, missed: 0, false: 0 }
    for (const { row, findings } of scanned) {
      const marked = (row.spans ?? []).filter(({ type }) => type === word)
      const found = findings.filter(({ category, type }) => category === 'pii' && types.includes(type))
      for (const span of marked) one[found.some((finding) => overlaps(finding, span)) ? 'hit' : 'missed']++
      one.false += found.filter((finding) => !marked.some((span) => overlaps(finding, span))).length
    }
    Object.assign(figures, tallyFigures(`${name}.${word.toLowerCase()}`, one))
    if (word in ANNOUNCED_TYPES) continue
    for (const key of ['hit', 'missed', 'false'] as const) all[key] += one[key]
  }
  return { ...figures, ...tallyFigures(`${name}.span`, all) }
}

/** Texts right and wrong as a whole: precision and recall of the slice's own category. */
const textFigures = ({ name, finds }: Slice, scanned: readonly Scanned[]): Figures => {
  const tally: Tally = { hit: 0, missed: 0, false: 0 }
  for (const { row, findings } of scanned) {
    const found = findings.some(({ category }) => category === finds)
    if (row.label === 'attack') tally[found ? 'hit' : 'missed']++
    else if (row.label === 'benign' && found) tally.false++
  }
  return { ...tallyFigures(`${name}.text`, tally) }
}

/** Scores of benign texts and injections by channel, by the model that ships, for curves over all sets of a channel. */
type Scores = Record<Channel, { attacks: number[]; benign: number[] }>

/** How the shipped model separates texts that it was mostly trained on; held-out.ts measures others. */
const seenFigures = (scores: Scores): Figures => {
  const figures: Figures = {}
  for (const channel of CHANNELS) {
    const { attacks, benign } = scores[channel]
    if (attacks.length === 0 || benign.length === 0 || Math.max(...attacks) === 0) continue
    figures[`injection_${channel}.auc${SEEN}`] = areaUnderCurve(attacks, benign)
    figures[`injection_${channel}.tpr_at_1pct_fpr${SEEN}`] = truePositivesAt(0.01, attacks, benign)
  }
  return figures
}

const scanSlice = (slice: Slice, scanner: TextScanner, scores: Scores): readonly Scanned[] =>
  readTexts(slice.name).map((row) => {
    const { findings, scores: given } = scanner.scan(row.text, slice.channel)
    const isAttack = row.label === 'attack' && slice.finds === 'prompt_injection'
    if (isAttack) scores[slice.channel].attacks.push(given.injection)
    else if (row.label === 'benign') scores[slice.channel].benign.push(given.injection)
    return { row, findings }
  })

/** Texts on which detectors and labels disagree, a line each, for `--list`. Shows no text of a secret. */
const disagreements = ({ name, finds }: Slice, scanned: readonly Scanned[]): readonly string[] =>
  scanned.flatMap(({ row, findings }, index) => {
    const isAttack = row.label === 'attack' && finds !== undefined
    const found = finds === undefined ? findings : findings.filter(({ category }) => category === finds)
    if (row.label === 'attack_ner' || found.length > 0 === isAttack) return []
    const what = isAttack ? 'missed' : found.map(({ category, type }) => `${category}:${type}`).join(' ')
    return [`${name} ${index} ${row.kind ?? ''} ${what}`]
  })

/** Every detector over every set of texts. */
export const measureTexts = async (list: (line: string) => void): Promise<Figures> => {
  const config = loadConfig([])
  const scanner = createTextScanner(config, await loadedSqlParser())
  const detectors = createDetectors(config).map(({ id }) => id)
  const scores = Object.fromEntries(
    CHANNELS.map((channel) => [channel, { attacks: [], benign: [] }]),
  ) as unknown as Scores
  const figures: Figures = {}
  for (const slice of SLICES) {
    const scanned = scanSlice(slice, scanner, scores)
    if (scanned.length === 0) continue
    Object.assign(figures, rateFigures(slice, scanned, detectors))
    if (slice.finds === 'pii') Object.assign(figures, spanFigures(slice.name, scanned))
    if (slice.finds === 'secret') Object.assign(figures, textFigures(slice, scanned))
    for (const line of disagreements(slice, scanned)) list(line)
  }
  return { ...figures, ...seenFigures(scores) }
}
