import type { Calibration } from '../../src/evidence/detectors/injection/injection-model.ts'
import { FINDING_SIGNALS } from '../../src/evidence/detectors/injection/signals.ts'

/** What the calibration sees of a text that the weights did not see. */
export interface HeldOut {
  readonly logit: number
  /** Surest sign of each family. */
  readonly signals: readonly number[]
  readonly attack: boolean
  readonly weight: number
}

const ROUNDS = 3000
const RATE = 0.5
/** Families with few hits stay near this: a sign that was hardly measured is worth what its rule claims. */
const PRIOR = 2.5
const PULL = 0.002

/** Fits a logistic calibration (Platt's, with the signs beside the logit); attacks and the rest weigh the same. */
export const calibrate = (rows: readonly HeldOut[]): Calibration => {
  const total = { attack: 0, benign: 0 }
  for (const { attack, weight } of rows) total[attack ? 'attack' : 'benign'] += weight
  let slope = 1
  let offset = 0
  const gains = FINDING_SIGNALS.map(() => PRIOR)
  for (let round = 0; round < ROUNDS; round++) {
    let slopeStep = 0
    let offsetStep = 0
    const steps = gains.map((gain) => PULL * (gain - PRIOR))
    for (const { logit, signals, attack, weight } of rows) {
      let sum = offset + slope * logit
      for (const [at, strength] of signals.entries()) if (strength > 0) sum += strength * (gains[at] ?? 0)
      const error = (1 / (1 + Math.exp(-sum)) - (attack ? 1 : 0)) * (weight / (2 * total[attack ? 'attack' : 'benign']))
      slopeStep += error * logit
      offsetStep += error
      for (const [at, strength] of signals.entries()) if (strength > 0) steps[at] = (steps[at] ?? 0) + error * strength
    }
    slope -= RATE * slopeStep
    offset -= RATE * offsetStep
    for (const [at, step] of steps.entries()) gains[at] = Math.max(0, (gains[at] ?? 0) - RATE * step)
  }
  const round4 = (value: number): number => Math.round(value * 1e4) / 1e4
  return {
    slope: round4(slope),
    offset: round4(offset),
    signals: Object.fromEntries(FINDING_SIGNALS.map((name, at) => [name, round4(gains[at] ?? 0)])),
  }
}
