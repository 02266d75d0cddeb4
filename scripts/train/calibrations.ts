import type { InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { calibrate } from './calibrate.ts'
import type { Blend, HeldOut, HeldOutWindow } from './calibrate.ts'
import type { Sample, SampleChannel } from './sources.ts'

/** Held-out texts with their stretches. */
export type HeldOutTexts = ReadonlyMap<Sample, readonly HeldOutWindow[]>

/** What a plain order or a written neighbour counts: they are few parts, put together often. */
const WRITTEN = 0.5

/**
 * How both parts are blended, the one choice made on held-out sources: of ten ratios the one with the highest mean of the
 * true positives at 1 %, but for people and agents with less of the words than that, because no benign texts in other
 * languages were there to show what they cost.
 */
const BLENDS: Readonly<Record<SampleChannel, Blend>> = {
  user: { ngrams: 1, words: 0.5 },
  tool: { ngrams: 0.6, words: 1 },
  agent: { ngrams: 1, words: 0.25 },
}

/** Rows to calibrate a channel by. Sources count by the root of their size, so that none drowns the others. */
export const rowsOf = (texts: HeldOutTexts, channel: SampleChannel): readonly HeldOut[] => {
  // Nobody collects attacks in the words of agents: those on people's channel stand for them.
  const own = [...texts].filter(
    ([sample]) => sample.channel === channel || (channel === 'agent' && sample.attack && sample.channel === 'user'),
  )
  const sizes = Map.groupBy(own, ([{ source, attack }]) => `${source} ${attack}`)
  return own.map(([{ source, attack, weight, kind }, windows]) => ({
    windows,
    attack,
    weight:
      (source.startsWith('written') || kind === 'plain order' ? WRITTEN : weight) /
      Math.sqrt(sizes.get(`${source} ${attack}`)?.length ?? 1),
  }))
}

/** A calibration for each channel; what is remembered or looked up is judged as what a tool returns. */
export const calibrationsOf = (texts: HeldOutTexts): InjectionModel['calibration'] => {
  const tool = calibrate(rowsOf(texts, 'tool'), BLENDS.tool)
  return {
    user: calibrate(rowsOf(texts, 'user'), BLENDS.user),
    tool,
    memory: tool,
    knowledge: tool,
    agent: calibrate(rowsOf(texts, 'agent'), BLENDS.agent),
  }
}
