/** `npm run train`: reads the data, measures with sources left out, trains on all and writes models/injection.bin. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { encodeModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { createVocabulary, hashWord } from '../../src/evidence/detectors/injection/word-segments.ts'
import type { Lessons, Uncalibrated } from './build-model.ts'
import { OPTIONS, buildModel } from './build-model.ts'
import { calibrationsOf } from './calibrations.ts'
import { report } from './figures.ts'
import { createHoldOut } from './hold-out.ts'
import { insertedAttacks, insertedOrders, insertedSamples } from './insertions.ts'
import { toExample } from './logistic.ts'
import { createRandom } from './random.ts'
import type { Sample } from './sources.ts'
import { FOLDS, SOURCES, readSamples } from './sources.ts'
import { toWordExample } from './word-examples.ts'
import { readWordVectors } from './word-vectors.ts'
import { PLAIN_ORDERS } from './written-orders.ts'
import { writtenSamples } from './written.ts'

const root = join(import.meta.dirname, '../..')
const vectors = readWordVectors(join(root, 'node_modules/.cache/train'), OPTIONS.words)
const hashes = Uint32Array.from(vectors.words, hashWord)
const vocabulary = createVocabulary(hashes)

const { samples, dropped } = readSamples()
const written = writtenSamples()
const attacks = written.filter(({ attack }) => attack)
const inserted = insertedSamples(createRandom(7), samples, attacks, OPTIONS.insertions)
const orders = [
  ...insertedOrders(createRandom(8), samples, PLAIN_ORDERS, 10),
  ...insertedAttacks(createRandom(9), samples, 300),
]
console.log(
  `${samples.length} texts of ${SOURCES.length} sources (${dropped} repeated ones left out), ${written.length} written, ${inserted.length} put together`,
)

const taught = [...samples, ...written].filter(({ weight }) => weight > 0)
const ngrams = taught.map((sample) => ({ sample, example: toExample(sample, OPTIONS.bits) }))
const words = [...taught, ...inserted].map((sample) => ({ sample, example: toWordExample(sample, vocabulary) }))

/** What is learnt when a fold is held out. */
const lessonsWithout = (fold: number): Lessons => {
  const isIn = ({ sample }: { readonly sample: Sample }): boolean => !sample.folds.includes(fold)
  return {
    ngrams: ngrams.filter(isIn).map(({ example }) => example),
    words: words.filter(isIn).map(({ example }) => example),
  }
}

const measured = [...samples, ...written, ...orders].filter(({ folds }) => folds.length === 1)
const models: Uncalibrated[] = []
const windows = new Map<Sample, ReturnType<ReturnType<typeof createHoldOut>>>()
for (let fold = 0; fold < FOLDS; fold++) {
  const model = buildModel(lessonsWithout(fold), vectors, hashes)
  models.push(model)
  const holdOut = createHoldOut(model)
  for (const sample of measured) if (sample.folds[0] === fold) windows.set(sample, holdOut(sample))
  console.error(`fold ${fold + 1} of ${FOLDS}`)
}

const calibration = calibrationsOf(windows)
console.log('calibration', JSON.stringify(calibration))
const calibrated = models.map((model): InjectionModel => ({ ...model, calibration }))
console.log(report(measured, windows, calibrated))

const model = buildModel(lessonsWithout(-1), vectors, hashes)
const path = join(root, 'models/injection.bin')
mkdirSync(join(path, '..'), { recursive: true })
writeFileSync(path, encodeModel({ ...model, calibration }))
console.log(`${path}: version ${model.version}`)
