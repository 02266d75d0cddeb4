import { areaUnderCurve } from '../../bench/evidence/tally.ts'
import { createInjectionDetector } from '../../src/evidence/detectors/injection/injection-detector.ts'
import type { Calibration, InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { DEFAULT_THRESHOLDS, GRAVE } from '../../src/evidence/detectors/injection/thresholds.ts'
import { FINDING_SIGNALS } from '../../src/evidence/detectors/injection/signals.ts'
import type { HeldOut, HeldOutWindow } from './calibrate.ts'
import { calibrate } from './calibrate.ts'
import type { HeldOutTexts } from './calibrations.ts'
import { BLENDS, rowsOf } from './calibrations.ts'
import { partAbove, thresholdAt } from './metrics.ts'
import type { Sample, SampleChannel } from './sources.ts'
import { FOLDS } from './sources.ts'

/** Channels in the order of the report. */
const CHANNELS: readonly SampleChannel[] = ['tool', 'user', 'agent']

/** A text with what was said of it by a model that had not seen it. */
interface Scored {
  readonly sample: Sample
  /** By both parts and the signs, calibrated. */
  readonly score: number
  /** By the detector as it ships: encodings too. */
  readonly found: boolean
  readonly grave: boolean
  /** By each part alone. */
  readonly ngrams: number
  readonly words: number
}

const percent = (part: number): string => (Number.isNaN(part) ? '-' : `${(part * 100).toFixed(1)} %`)
const share = (many: readonly Scored[], holds: (one: Scored) => boolean): string =>
  percent(many.filter(holds).length / many.length)

/** Sets whose benign part is no fair measure: noisy labels, one kind of text thousands of times, or written here. */
const isFair = ({ source }: Sample): boolean =>
  !['pi_neuralchemy', 'shell_tldr_benign'].includes(source) && !source.startsWith('written')

const NONE: Calibration = { slope: 1, words: 1, offset: 0, signals: {} }

const probability = ({ slope, words, offset, signals }: Calibration, window: HeldOutWindow): number => {
  let sum = offset + slope * window.logit + words * window.words
  for (const [at, strength] of window.signals.entries()) sum += strength * (signals[FINDING_SIGNALS[at] ?? ''] ?? 0)
  return 1 / (1 + Math.exp(-sum))
}

const LONGEST = 12_000

const scoreAll = (
  measured: readonly Sample[],
  texts: HeldOutTexts,
  models: readonly InjectionModel[],
): readonly Scored[] => {
  const detectors = models.map((model) => createInjectionDetector({ model }))
  return measured.flatMap((sample) => {
    const detector = detectors[sample.folds[0] ?? 0]
    if (detector === undefined) return []
    const text = sample.text.slice(0, LONGEST)
    const matches = detector.detect(text, sample.channel)
    const calibration = models[0]?.calibration[sample.channel] ?? NONE
    const windows = texts.get(sample) ?? []
    const most = (pick: (window: HeldOutWindow) => number): number => Math.max(-20, ...windows.map(pick))
    return {
      sample,
      score: most((window) => probability(calibration, window)),
      found: matches.length > 0,
      grave: matches.some(({ severity }) => severity === 'high'),
      ngrams: most(({ logit }) => logit),
      words: most(({ words }) => words),
    }
  })
}

/** One row a source: area under the curve and true positives at 1 %, for each part alone and for all together. */
const tableOf = (channel: SampleChannel, scored: readonly Scored[]): string => {
  const own = scored.filter(({ sample }) => sample.channel === channel)
  const fair = own.filter(({ sample }) => !sample.attack && isFair(sample))
  const views = [({ ngrams }: Scored) => ngrams, ({ words }: Scored) => words, ({ score }: Scored) => score] as const
  const limits = views.map((view) => thresholdAt(fair.map(view), 0.01))
  const rows = [...Map.groupBy(own, ({ sample }) => `${sample.source}${sample.attack ? '' : ', benign'}`)].map(
    ([name, group]) => {
      const cells = views.map((view, at) => {
        const part = percent(partAbove(group.map(view), limits[at] ?? 0))
        return group[0]?.sample.attack === true
          ? `${areaUnderCurve(group.map(view), fair.map(view)).toFixed(2)} ${part}`
          : part
      })
      return `| ${name} | ${group.length} | ${cells.join(' | ')} | ${share(group, (one) => one.found)} | ${share(group, (one) => one.grave)} |`
    },
  )
  return [
    `\n${channel}: ${fair.length} benign texts; 1 % of them reach ${limits[2]?.toFixed(3)}; default ${DEFAULT_THRESHOLDS[channel]}\n`,
    '| source | texts | n-grams | words | all | found by default | grave |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const BINS = 10

/** Expected calibration error at even odds: how far the probabilities of ten bins are from the part of attacks in them. */
const errorOf = (
  rows: readonly { readonly p: number; readonly attack: boolean; readonly weight: number }[],
): number => {
  const total = { attack: 0, benign: 0 }
  for (const { attack, weight } of rows) total[attack ? 'attack' : 'benign'] += weight
  const bins = Array.from({ length: BINS }, () => ({ weight: 0, attacks: 0, p: 0 }))
  for (const { p, attack, weight } of rows) {
    const bin = bins[Math.min(BINS - 1, Math.floor(p * BINS))]
    const part = weight / (2 * total[attack ? 'attack' : 'benign'])
    if (bin === undefined) continue
    bin.weight += part
    bin.p += part * p
    if (attack) bin.attacks += part
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.p - bin.attacks), 0)
}

/** Calibrated on five folds, measured on the sixth, six times. */
const reliabilityOf = (channel: SampleChannel, texts: HeldOutTexts): string => {
  const rows = Array.from({ length: FOLDS }, (_, fold) => {
    const split = (isIn: boolean): readonly HeldOut[] => {
      const part = new Map([...texts].filter(([sample]) => sample.folds.includes(fold) === isIn))
      return rowsOf(part, channel)
    }
    const calibration = calibrate(split(false), BLENDS[channel])
    return split(true).map(({ windows, attack, weight }) => ({
      p: Math.max(0, ...windows.map((window) => probability(calibration, window))),
      attack,
      weight,
    }))
  }).flat()
  return `${channel}: expected calibration error ${errorOf(rows).toFixed(3)} at even odds`
}

const thresholdsOf = (channel: SampleChannel, scored: readonly Scored[]): string => {
  const steps = [0.6, 0.65, 0.7, 0.74, 0.78, 0.8, 0.82, 0.85, 0.88, 0.9, 0.92, 0.95]
  const own = scored.filter(({ sample }) => sample.channel === channel)
  const rows = [...Map.groupBy(own, ({ sample }) => `${sample.source}${sample.attack ? ' A' : ''}`)].map(
    ([name, group]) => `| ${name} | ${steps.map((step) => share(group, ({ score }) => score >= step)).join(' | ')} |`,
  )
  return [`\n| ${channel} | ${steps.join(' | ')} |`, ...rows].join('\n')
}

const languagesOf = (scored: readonly Scored[]): string => {
  const own = scored.filter(({ sample }) => sample.source === 'pi_cyberseceval_multilingual')
  return `\nlanguages, found by default: ${[...Map.groupBy(own, ({ sample }) => sample.kind)]
    .map(([kind, group]) => `${kind} ${share(group, ({ found }) => found)} of ${group.length}`)
    .join(', ')}`
}

/** Everything docs/detectors/injection.md states of held-out sources. */
export const report = (measured: readonly Sample[], texts: HeldOutTexts, models: readonly InjectionModel[]): string => {
  const scored = scoreAll(measured, texts, models)
  return [
    ...CHANNELS.map((channel) => tableOf(channel, scored)),
    '',
    ...CHANNELS.map((channel) => reliabilityOf(channel, texts)),
    ...CHANNELS.map((channel) => thresholdsOf(channel, scored)),
    languagesOf(scored),
    `\ngrave from ${GRAVE}`,
  ].join('\n')
}
