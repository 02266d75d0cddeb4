import {
  createFeatureBlock,
  createFolding,
  readFeatures,
} from '../../src/evidence/detectors/injection/hashed-features.ts'
import { eachWindow } from '../../src/evidence/detectors/injection/score-windows.ts'

import type { Sample } from './sources.ts'

/** A text as the model sees it. */
export interface Example {
  readonly bins: Uint32Array
  /** Where the bins of each unit end. */
  readonly ends: Int32Array
  /** Windows as pairs of units: from, to. */
  readonly windows: Int32Array
  /** For attacks: windows that hold the injected part; all, where it is not known. */
  readonly positive: readonly number[]
  readonly attack: boolean
  readonly weight: number
}

/** Weights as they are learnt. */
export interface Linear {
  readonly weights: Float32Array
  bias: number
}

const folding = createFolding()
const block = createFeatureBlock()
/** Longer texts are cut: the beginning tells enough. */
const LONGEST = 12_000

/** Makes an example of a sample. */
export const toExample = ({ text: full, attack, weight, payload }: Sample, bits: number): Example => {
  const text = full.slice(0, LONGEST)
  readFeatures(text, 0, bits, folding, block)
  const { units } = block
  const ends = block.binEnd.slice(0, units)
  const windows: number[] = []
  eachWindow(units, (from, to) => windows.push(from, to))
  const place = payload === undefined ? -1 : text.indexOf(payload.trim().slice(0, 40))
  const until = place + (payload?.length ?? 0)
  const positive: number[] = []
  for (let w = 0; w * 2 < windows.length; w++) {
    const from = block.start[windows[w * 2] ?? 0] ?? 0
    const to = block.end[(windows[w * 2 + 1] ?? 1) - 1] ?? 0
    const shared = Math.min(to, until) - Math.max(from, place)
    if (place < 0 || shared > 0.5 * Math.min(to - from, until - place)) positive.push(w)
  }
  return {
    bins: block.bins.slice(0, ends.at(-1) ?? 0),
    ends,
    windows: Int32Array.from(windows),
    positive,
    attack,
    weight,
  }
}

/** The logit of every window. */
const logitsOf = ({ bins, ends, windows }: Example, { weights, bias }: Linear): Float64Array => {
  const sums = new Float64Array(ends.length + 1)
  let sum = 0
  let at = 0
  for (let unit = 0; unit < ends.length; unit++) {
    for (const end = ends[unit] ?? 0; at < end; at++) sum += weights[bins[at] ?? 0] ?? 0
    sums[unit + 1] = sum
  }
  const logits = new Float64Array(windows.length / 2)
  for (let w = 0; w < logits.length; w++) {
    const from = windows[w * 2] ?? 0
    const to = windows[w * 2 + 1] ?? 0
    const count = (ends[to - 1] ?? 0) - (from === 0 ? 0 : (ends[from - 1] ?? 0))
    logits[w] = bias + ((sums[to] ?? 0) - (sums[from] ?? 0)) / Math.sqrt(Math.max(1, count))
  }
  return logits
}

export interface TrainingOptions {
  readonly bits: number
  readonly epochs: number
  readonly rate: number
  readonly decay: number
}

const shuffle = (order: Int32Array, seed: number): void => {
  let state = seed | 1
  for (let i = order.length - 1; i > 0; i--) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39
    const j = (state >>> 0) % (i + 1)
    const one = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = one
  }
}

/** Windows to learn from: all at first, then of an attack the most telling, of the rest the most suspicious. */
const chosen = (example: Example, logits: Float64Array, epoch: number): readonly number[] => {
  if (!example.attack) {
    const order = [...logits.keys()].toSorted((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0))
    return order.slice(0, epoch === 0 ? 6 : 3)
  }
  const order = example.positive.toSorted((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0))
  return order.slice(0, epoch === 0 ? 6 : Math.max(1, Math.min(3, order.length >> 1)))
}

/** Logistic regression by AdaGrad over the windows that decide. */
export const train = (examples: readonly Example[], options: TrainingOptions): Linear => {
  const { bits, epochs, rate, decay } = options
  const model: Linear = { weights: new Float32Array(1 << bits), bias: 0 }
  const squares = new Float32Array(1 << bits).fill(1e-3)
  let biasSquare = 1e-3
  const order = Int32Array.from(examples.keys())
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, 7919 * (epoch + 1))
    for (const index of order) {
      const example = examples[index]
      if (example === undefined || example.ends.length === 0) continue
      const picks = chosen(example, logitsOf(example, model), epoch)
      for (const w of picks) {
        const from = example.windows[w * 2] ?? 0
        const to = example.windows[w * 2 + 1] ?? 0
        const begin = from === 0 ? 0 : (example.ends[from - 1] ?? 0)
        const end = example.ends[to - 1] ?? 0
        const value = 1 / Math.sqrt(Math.max(1, end - begin))
        let sum = 0
        for (let i = begin; i < end; i++) sum += model.weights[example.bins[i] ?? 0] ?? 0
        const p = 1 / (1 + Math.exp(-(model.bias + sum * value)))
        const error = ((p - (example.attack ? 1 : 0)) * example.weight) / picks.length
        if (Math.abs(error) < 1e-4) continue
        const step = error * value
        for (let i = begin; i < end; i++) {
          const bin = example.bins[i] ?? 0
          const weight = model.weights[bin] ?? 0
          const gradient = step + decay * weight
          const square = (squares[bin] ?? 0) + gradient * gradient
          squares[bin] = square
          model.weights[bin] = weight - (rate * gradient) / Math.sqrt(square)
        }
        biasSquare += error * error
        model.bias -= (rate * error) / Math.sqrt(biasSquare)
      }
    }
  }
  return model
}
