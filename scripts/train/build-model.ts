import { createHash } from 'node:crypto'
import type { InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import type { Example } from './logistic.ts'
import { train } from './logistic.ts'
import { quantise } from './quantise.ts'
import type { WordExample } from './word-examples.ts'
import { trainWordNet } from './word-net.ts'
import type { WordVectors } from './word-vectors.ts'

/** All that can be chosen; the figures of docs/detectors/injection.md are those of these. */
export const OPTIONS = {
  bits: 17,
  ngrams: { epochs: 4, rate: 0.1, decay: 1e-6 },
  /** Most frequent words of the vectors. */
  words: 20_000,
  net: { filters: 32, epochs: 4, rate: 0.002, batch: 32, dropout: 0.3, decay: 1e-6, seed: 11 },
  /** Results of tools with something put into them. */
  insertions: 6000,
} as const

/** What a model learns from. */
export interface Lessons {
  readonly ngrams: readonly Example[]
  readonly words: readonly WordExample[]
}

/** A model that is not calibrated yet. */
export type Uncalibrated = Omit<InjectionModel, 'calibration'>

/** Trains both parts. */
export const buildModel = (lessons: Lessons, vectors: WordVectors, hashes: Uint32Array): Uncalibrated => {
  const ngrams = quantise(train(lessons.ngrams, { bits: OPTIONS.bits, ...OPTIONS.ngrams }))
  const table = trainWordNet(lessons.words, vectors, OPTIONS.net)
  const version = createHash('sha256').update(ngrams.weights).update(table.rows).digest('hex').slice(0, 8)
  return { version, bits: OPTIONS.bits, ...ngrams, words: { hashes, ...table } }
}
