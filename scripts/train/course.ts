import { createVocabulary, hashWord } from '../../src/evidence/detectors/injection/word-segments.ts'
import type { Lessons } from './build-model.ts'
import { OPTIONS } from './build-model.ts'
import { insertedAttacks, insertedOrders, insertedSamples } from './insertions.ts'
import { toExample } from './logistic.ts'
import { createRandom } from './random.ts'
import type { Sample } from './sources.ts'
import { SOURCES, readSamples } from './sources.ts'
import { toWordExample } from './word-examples.ts'
import type { WordVectors } from './word-vectors.ts'
import { PLAIN_ORDERS } from './written-orders.ts'
import { writtenSamples } from './written.ts'

/** What is learnt from and what is measured, the same in every thread. */
export interface Course {
  /** Of each word of the vectors, in their order. */
  readonly hashes: Uint32Array
  /** Texts that are measured, each by a model that was trained without its only fold. */
  readonly measured: readonly Sample[]
  /** What is learnt when a fold is held out; of fold -1 is nothing. */
  readonly lessonsWithout: (fold: number) => Lessons
  /** What there is, in a line. */
  readonly summary: string
}

/** Reads the data, and puts together what is put together. Examples are made when they are first asked for. */
export const prepareCourse = (vectors: Pick<WordVectors, 'words'>): Course => {
  const hashes = Uint32Array.from(vectors.words, hashWord)
  const { samples, dropped } = readSamples()
  const written = writtenSamples()
  const attacks = written.filter(({ attack }) => attack)
  const inserted = insertedSamples(createRandom(7), samples, attacks, OPTIONS.insertions)
  const orders = [
    ...insertedOrders(createRandom(8), samples, PLAIN_ORDERS, 10),
    ...insertedAttacks(createRandom(9), samples, 300),
  ]
  const examplesOf = () => {
    const taught = [...samples, ...written].filter(({ weight }) => weight > 0)
    const vocabulary = createVocabulary(hashes)
    return {
      ngrams: taught.map((sample) => ({ sample, example: toExample(sample, OPTIONS.bits) })),
      words: [...taught, ...inserted].map((sample) => ({ sample, example: toWordExample(sample, vocabulary) })),
    }
  }
  let examples: ReturnType<typeof examplesOf> | undefined
  return {
    hashes,
    measured: [...samples, ...written, ...orders].filter(({ folds }) => folds.length === 1),
    lessonsWithout: (fold) => {
      examples ??= examplesOf()
      const isIn = ({ sample }: { readonly sample: Sample }): boolean => !sample.folds.includes(fold)
      return {
        ngrams: examples.ngrams.filter(isIn).map(({ example }) => example),
        words: examples.words.filter(isIn).map(({ example }) => example),
      }
    },
    summary: `${samples.length} texts of ${SOURCES.length} sources (${dropped} repeated ones left out), ${written.length} written, ${inserted.length} put together`,
  }
}
