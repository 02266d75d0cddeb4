import { createSignFinder } from '../../src/evidence/detectors/injection/find-signs.ts'
import type { Calibration, WordHead } from '../../src/evidence/detectors/injection/injection-model.ts'
import { INJECTION_RULES } from '../../src/evidence/detectors/injection/injection-rules.ts'
import { bounded, signalsOf, signsWithin } from '../../src/evidence/detectors/injection/probability.ts'
import { createWindowScorer } from '../../src/evidence/detectors/injection/score-windows.ts'
import type { Uncalibrated } from './build-model.ts'
import type { HeldOutWindow } from './calibrate.ts'
import type { Sample } from './sources.ts'

/** Longer texts are cut. */
const LONGEST = 12_000
/** Stretches of a text that the calibration may choose among. */
const KEPT = 6

const none: Calibration = { slope: 1, words: 1, offset: 0, signals: {} }
const findSigns = createSignFinder(INJECTION_RULES)

/** About what a stretch will weigh once calibrated. */
const guess = ({ logit, words, signals }: HeldOutWindow): number =>
  0.5 * logit + 0.3 * words + 2.5 * signals.reduce((sum, strength) => sum + strength, 0)

/** Makes the function that gives a text's most suspicious stretches by a model that has not seen it. */
export const createHoldOut = (model: Uncalibrated): ((sample: Sample) => readonly HeldOutWindow[]) => {
  const eachWindow = createWindowScorer({
    ...model,
    calibration: { user: none, tool: none, memory: none, knowledge: none, agent: none },
  })
  return ({ text: full, channel }) => {
    const text = full.slice(0, LONGEST)
    const head: WordHead = channel === 'tool' ? 'tool' : 'user'
    const signs = findSigns(text, channel)
    const windows: HeldOutWindow[] = []
    eachWindow(text, head, (window) => {
      windows.push({ ...bounded(window), signals: signalsOf(signsWithin(signs, window.start, window.end)) })
    })
    return windows.toSorted((a, b) => guess(b) - guess(a)).slice(0, KEPT)
  }
}
