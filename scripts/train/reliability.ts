import type { Calibration, InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { FINDING_SIGNALS } from '../../src/evidence/detectors/injection/signals.ts'
import type { HeldOutWindow } from './calibrate.ts'
import type { HeldOutTexts } from './calibrations.ts'
import { rowsOf } from './calibrations.ts'
import type { SampleChannel } from './sources.ts'

const probability = ({ slope, words, offset, signals }: Calibration, window: HeldOutWindow): number => {
  let sum = offset + slope * window.logit + words * window.words
  for (const [at, strength] of window.signals.entries()) sum += strength * (signals[FINDING_SIGNALS[at] ?? ''] ?? 0)
  return 1 / (1 + Math.exp(-sum))
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

/** Expected calibration error of a channel: each fold by the calibration that was made without it. */
export const reliabilityOf = (
  channel: SampleChannel,
  texts: HeldOutTexts,
  calibrations: readonly InjectionModel['calibration'][],
): number =>
  errorOf(
    calibrations.flatMap((calibration, fold) => {
      const held = new Map([...texts].filter(([sample]) => sample.folds.includes(fold)))
      return rowsOf(held, channel).map(({ windows, attack, weight }) => ({
        p: Math.max(0, ...windows.map((window) => probability(calibration[channel], window))),
        attack,
        weight,
      }))
    }),
  )
