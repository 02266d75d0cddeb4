import type { WordHead, WordModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { WORD_HEADS } from '../../src/evidence/detectors/injection/injection-model.ts'
import { FIRST_WORD } from '../../src/evidence/detectors/injection/word-segments.ts'
import { createAdam } from './adam.ts'
import type { Random } from './random.ts'
import { createRandom } from './random.ts'
import type { WordExample } from './word-examples.ts'
import type { WordVectors } from './word-vectors.ts'

export interface WordNetOptions {
  readonly filters: number
  readonly epochs: number
  readonly rate: number
  readonly batch: number
  /** Part of the filters that is left out at each step. */
  readonly dropout: number
  readonly decay: number
  readonly seed: number
}

/** A trained net, as the table that ships without the hashes of its words. */
export type Table = Omit<WordModel, 'hashes'>

/** Words that a filter sees. */
const WIDTH = 3
/** Windows learnt from until the table of answers is made anew. */
const STALE_AFTER = 8000

/** Sums of the table that are made at once; there is a multiple of as many filters. */
const SIDE_BY_SIDE = 4

const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())

/** Where each kind of parameter begins in the one array that holds all. */
const layoutOf = (filters: number, dims: number) => {
  const marks = WIDTH * filters * dims
  const biases = marks + FIRST_WORD * WIDTH * filters
  const outputs = biases + filters
  const outputBiases = outputs + WORD_HEADS.length * filters
  return { marks, biases, outputs, outputBiases, total: outputBiases + WORD_HEADS.length }
}

const firstGuess = (layout: ReturnType<typeof layoutOf>, random: Random): Float32Array => {
  const values = new Float32Array(layout.total)
  for (let at = 0; at < layout.marks; at++) values[at] = gaussian(random) * 0.58
  for (let at = layout.marks; at < layout.biases; at++) values[at] = gaussian(random) * 0.3
  for (let at = layout.outputs; at < layout.outputBiases; at++) values[at] = gaussian(random) * 0.3
  for (let at = layout.outputBiases; at < layout.total; at++) values[at] = -1
  return values
}

/**
 * Learns filters over three words each; the greatest answer of a filter in a sentence counts, and each head weighs them.
 * The vectors stay as they are, so that words which no training text has are judged by those they resemble.
 */
export const trainWordNet = (
  examples: readonly WordExample[],
  vectors: WordVectors,
  options: WordNetOptions,
): Table => {
  const { filters, epochs, rate, batch, dropout, decay, seed } = options
  const { dims } = vectors
  const random = createRandom(seed)
  const layout = layoutOf(filters, dims)
  const values = firstGuess(layout, random)
  const gradient = new Float32Array(layout.total)
  const adam = createAdam(values, gradient, decay)
  const row = WIDTH * filters
  const answers = new Float32Array((FIRST_WORD + vectors.words.length) * row)
  const place = new Int32Array(filters)
  const most = new Float32Array(filters)
  const kept = new Float32Array(filters)

  /** The answer of each filter to each word at each place. */
  const refresh = (): void => {
    answers.set(values.subarray(layout.marks, layout.biases))
    answers.fill(0, 0, row)
    for (let word = 0; word < vectors.words.length; word++) {
      const vector = word * dims
      const answer = (FIRST_WORD + word) * row
      // Four sums at a time, each in its own order: the processor adds them side by side, and they stay what they are.
      for (let k = 0; k < row; k += SIDE_BY_SIDE) {
        const [first, second, third, fourth] = [k * dims, (k + 1) * dims, (k + 2) * dims, (k + 3) * dims]
        let [one, two, three, four] = [0, 0, 0, 0]
        for (let d = 0; d < dims; d++) {
          const part = vectors.vectors[vector + d] ?? 0
          one += part * (values[first + d] ?? 0)
          two += part * (values[second + d] ?? 0)
          three += part * (values[third + d] ?? 0)
          four += part * (values[fourth + d] ?? 0)
        }
        answers[answer + k] = one
        answers[answer + k + 1] = two
        answers[answer + k + 2] = three
        answers[answer + k + 3] = four
      }
    }
  }

  /** The greatest answer of each filter in a window, by the table, and where it is. */
  const pool = (ids: Int32Array, from: number, to: number): void => {
    most.fill(-Infinity)
    for (let at = from; at < to; at++) {
      const before = at > from ? (ids[at - 1] ?? 0) * row : 0
      const here = (ids[at] ?? 0) * row + filters
      const after = (at + 1 < to ? (ids[at + 1] ?? 0) * row : 0) + 2 * filters
      for (let f = 0; f < filters; f++) {
        const answer = (answers[before + f] ?? 0) + (answers[here + f] ?? 0) + (answers[after + f] ?? 0)
        if (answer > (most[f] ?? 0)) {
          most[f] = answer
          place[f] = at
        }
      }
    }
  }

  const eachWord = (
    ids: Int32Array,
    f: number,
    from: number,
    to: number,
    visit: (k: number, id: number) => void,
  ): void => {
    for (let offset = 0; offset < WIDTH; offset++) {
      const at = (place[f] ?? 0) + offset - 1
      if (at >= from && at < to && (ids[at] ?? 0) > 0) visit(offset * filters + f, ids[at] ?? 0)
    }
  }

  /** The answer by the parameters as they are now; the table may be some steps old. */
  const exact = (ids: Int32Array, f: number, from: number, to: number): number => {
    let sum = values[layout.biases + f] ?? 0
    eachWord(ids, f, from, to, (k, id) => {
      if (id < FIRST_WORD) {
        sum += values[layout.marks + id * row + k] ?? 0
        return
      }
      const vector = (id - FIRST_WORD) * dims
      for (let d = 0; d < dims; d++) sum += (vectors.vectors[vector + d] ?? 0) * (values[k * dims + d] ?? 0)
    })
    return sum
  }

  const teach = (ids: Int32Array, f: number, from: number, to: number, error: number): void => {
    gradient[layout.biases + f] = (gradient[layout.biases + f] ?? 0) + error
    eachWord(ids, f, from, to, (k, id) => {
      if (id < FIRST_WORD) {
        const mark = layout.marks + id * row + k
        gradient[mark] = (gradient[mark] ?? 0) + error
        return
      }
      const vector = (id - FIRST_WORD) * dims
      for (let d = 0; d < dims; d++)
        gradient[k * dims + d] = (gradient[k * dims + d] ?? 0) + error * (vectors.vectors[vector + d] ?? 0)
    })
  }

  /** The logits of a text's windows, by the table. */
  const logitsOf = ({ ids, ends }: WordExample, head: number): readonly number[] =>
    ends.map((to, window) => {
      pool(ids, ends[window - 1] ?? 0, to)
      let logit = values[layout.outputBiases + head] ?? 0
      for (let f = 0; f < filters; f++) {
        const answer = (most[f] ?? 0) + (values[layout.biases + f] ?? 0)
        if (answer > 0) logit += answer * (values[layout.outputs + head * filters + f] ?? 0)
      }
      return logit
    })

  const step = (ids: Int32Array, from: number, to: number, head: number, wanted: boolean, weight: number): void => {
    pool(ids, from, to)
    const outputs = layout.outputs + head * filters
    let logit = values[layout.outputBiases + head] ?? 0
    for (let f = 0; f < filters; f++) {
      kept[f] = random() < dropout ? 0 : 1 / (1 - dropout)
      most[f] = Math.max(0, exact(ids, f, from, to))
      logit += (values[outputs + f] ?? 0) * (most[f] ?? 0) * (kept[f] ?? 0)
    }
    const error = (1 / (1 + Math.exp(-logit)) - (wanted ? 1 : 0)) * weight
    gradient[layout.outputBiases + head] = (gradient[layout.outputBiases + head] ?? 0) + error
    for (let f = 0; f < filters; f++) {
      const share = error * (kept[f] ?? 0)
      if (share === 0 || most[f] === 0) continue
      gradient[outputs + f] = (gradient[outputs + f] ?? 0) + share * (most[f] ?? 0)
      teach(ids, f, from, to, share * (values[outputs + f] ?? 0))
    }
  }

  let sinceRefresh = 0
  /** Learns from the windows that decide: of an attack the most telling, of the rest the most suspicious. */
  const learn = (example: WordExample, head: WordHead, epoch: number): void => {
    const wanted = example.wanted[head]
    const number = WORD_HEADS.indexOf(head)
    if (wanted === undefined || example.ends.length === 0) return
    const logits = logitsOf(example, number)
    const order = (wanted ? [...example.positive] : [...logits.keys()]).toSorted(
      (a, b) => (logits[b] ?? 0) - (logits[a] ?? 0),
    )
    const windows = order.slice(0, !wanted ? 2 : epoch === 0 ? 3 : Math.max(1, Math.min(2, order.length >> 1)))
    for (const window of windows) {
      const [from, to] = [example.ends[window - 1] ?? 0, example.ends[window] ?? 0]
      step(example.ids, from, to, number, wanted, example.weight / windows.length / batch)
      sinceRefresh++
    }
  }

  const order = [...examples.keys()]
  refresh()
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0]
    }
    for (const [done, index] of order.entries()) {
      const example = examples[index]
      if (example !== undefined) for (const head of WORD_HEADS) learn(example, head, epoch)
      if ((done + 1) % batch === 0) adam.step(rate * (1 - (0.7 * epoch) / epochs))
      if (sinceRefresh > STALE_AFTER) {
        refresh()
        sinceRefresh = 0
      }
    }
  }
  refresh()
  return toTable(answers, values, layout, filters)
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6

/** The table in whole steps of one byte, each filter with its own. */
const toTable = (
  answers: Float32Array,
  values: Float32Array,
  layout: ReturnType<typeof layoutOf>,
  filters: number,
): Table => {
  const peaks = new Float64Array(filters)
  for (let at = 0; at < answers.length; at++)
    peaks[at % filters] = Math.max(peaks[at % filters] ?? 0, Math.abs(answers[at] ?? 0))
  const head = (number: number): Table['heads']['user'] => ({
    bias: round(values[layout.outputBiases + number] ?? 0),
    weights: Array.from(
      values.subarray(layout.outputs + number * filters, layout.outputs + (number + 1) * filters),
      round,
    ),
  })
  const scales = Array.from(peaks, (peak) => round(Math.max(1e-6, peak / 127)))
  return {
    filters,
    rows: Int8Array.from(answers, (answer, at) =>
      Math.max(-127, Math.min(127, Math.round(answer / (scales[at % filters] ?? 1)))),
    ),
    scales,
    biases: Array.from(values.subarray(layout.biases, layout.outputs), round),
    heads: { user: head(0), tool: head(1) },
  }
}
