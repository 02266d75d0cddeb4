import type { Calibration } from '../../src/evidence/detectors/injection/injection-model.ts'
import type { Logits } from '../../src/evidence/detectors/injection/probability.ts'
import { FINDING_SIGNALS } from '../../src/evidence/detectors/injection/signals.ts'

/** What the calibration sees of a stretch that the weights did not see. */
export interface HeldOutWindow extends Logits {
  /** Surest sign of each family. */
  readonly signals: readonly number[]
}

/** A text that the weights did not see, by its most suspicious stretches. */
export interface HeldOut {
  readonly windows: readonly HeldOutWindow[]
  readonly attack: boolean
  readonly weight: number
}

const ROUNDS = 2000
const RATE = 0.5
/** The most suspicious stretch of each text is chosen anew after so many rounds, as the weights move. */
const CHOOSE_AFTER = 250
/** Families with few hits stay near this: a sign that was hardly measured is worth what its rule claims. */
const PRIOR = 2.5
const PULL = 0.002

/** What the n-grams and the words count against each other. */
export interface Blend {
  readonly ngrams: number
  readonly words: number
}

/** The parameters while they are fitted. */
interface Fit {
  readonly blend: Blend
  slope: number
  offset: number
  readonly gains: number[]
}

const blended = ({ ngrams, words }: Blend, window: HeldOutWindow): number =>
  ngrams * window.logit + words * window.words

const logitOf = ({ blend, slope, offset, gains }: Fit, window: HeldOutWindow): number => {
  let sum = offset + slope * blended(blend, window)
  for (const [at, strength] of window.signals.entries()) if (strength > 0) sum += strength * (gains[at] ?? 0)
  return sum
}

const surest = (fit: Fit, windows: readonly HeldOutWindow[]): HeldOutWindow | undefined => {
  let best: HeldOutWindow | undefined
  let most = -Infinity
  for (const window of windows) {
    const logit = logitOf(fit, window)
    if (logit <= most) continue
    most = logit
    best = window
  }
  return best
}

/** A text by its surest stretch, ready for the sums. */
interface Row {
  /** Both parts, blended. */
  readonly logit: number
  /** Only families that hold. */
  readonly signs: readonly (readonly [family: number, strength: number])[]
  readonly wanted: number
  readonly part: number
}

/** Rows for the parameters as they are now; those of one kind weigh a half together. */
const rowsFor = (fit: Fit, texts: readonly HeldOut[]): readonly Row[] => {
  const total = { attack: 0, benign: 0 }
  for (const { attack, weight } of texts) total[attack ? 'attack' : 'benign'] += weight
  return texts.flatMap(({ windows, attack, weight }) => {
    const window = surest(fit, windows)
    if (window === undefined || weight === 0) return []
    return {
      logit: blended(fit.blend, window),
      signs: [...window.signals.entries()].filter(([, strength]) => strength > 0),
      wanted: attack ? 1 : 0,
      part: weight / (2 * total[attack ? 'attack' : 'benign']),
    }
  })
}

/** One step down the slope of the loss. */
const descend = (fit: Fit, rows: readonly Row[]): void => {
  let slope = 0
  let offset = 0
  const gains = fit.gains.map((gain) => PULL * (gain - PRIOR))
  for (const row of rows) {
    let sum = fit.offset + fit.slope * row.logit
    for (const [family, strength] of row.signs) sum += strength * (fit.gains[family] ?? 0)
    const error = (1 / (1 + Math.exp(-sum)) - row.wanted) * row.part
    slope += error * row.logit
    offset += error
    for (const [family, strength] of row.signs) gains[family] = (gains[family] ?? 0) + error * strength
  }
  fit.slope = Math.max(0, fit.slope - RATE * slope)
  fit.offset -= RATE * offset
  for (const [family, value] of gains.entries())
    fit.gains[family] = Math.max(0, (fit.gains[family] ?? 0) - RATE * value)
}

const round4 = (value: number): number => Math.round(value * 1e4) / 1e4

/** Fits a logistic calibration (Platt's, with the signs beside the logits); attacks and the rest weigh the same. */
export const calibrate = (texts: readonly HeldOut[], blend: Blend): Calibration => {
  const fit: Fit = { blend, slope: 0.5, offset: 0, gains: FINDING_SIGNALS.map(() => PRIOR) }
  let rows = rowsFor(fit, texts)
  for (let round = 1; round <= ROUNDS; round++) {
    descend(fit, rows)
    if (round % CHOOSE_AFTER === 0) rows = rowsFor(fit, texts)
  }
  return {
    slope: round4(fit.slope * blend.ngrams),
    words: round4(fit.slope * blend.words),
    offset: round4(fit.offset),
    signals: Object.fromEntries(FINDING_SIGNALS.map((name, at) => [name, round4(fit.gains[at] ?? 0)])),
  }
}
