/** A thread of the cross-validation: trains models without a fold, and judges the texts of a fold by a model. */
import { parentPort, workerData } from 'node:worker_threads'
import { createInjectionDetector } from '../../src/evidence/detectors/injection/injection-detector.ts'
import type { InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import type { Uncalibrated } from './build-model.ts'
import { buildModel } from './build-model.ts'
import type { HeldOutWindow } from './calibrate.ts'
import { prepareCourse } from './course.ts'
import { createHoldOut } from './hold-out.ts'
import type { Sample } from './sources.ts'
import type { WordVectors } from './word-vectors.ts'

/** What a thread is asked: to train without a fold (-1: on everything), or to judge a fold by a model without it. */
export type FoldTask =
  | { readonly do: 'train'; readonly fold: number }
  | { readonly do: 'judge'; readonly fold: number; readonly model: InjectionModel }

/** A model, and the stretches of each text of the fold that it was trained without, in the order of the course. */
export interface Trained {
  readonly model: Uncalibrated
  readonly windows: readonly (readonly HeldOutWindow[])[]
}

/** What the whole detector says of a text. */
export interface Opinion {
  /** Probability of the whole text, as `sallyport scan` tells it. */
  readonly score: number
  /** Whether something is found at the default threshold, and whether some of it is grave. */
  readonly found: boolean
  readonly grave: boolean
}

const vectors = workerData as WordVectors
const course = prepareCourse(vectors)

const isIn =
  (fold: number) =>
  ({ folds }: Sample): boolean =>
    folds[0] === fold

const train = (fold: number): Trained => {
  const model = buildModel(course.lessonsWithout(fold), vectors, course.hashes)
  return { model, windows: course.measured.filter(isIn(fold)).map(createHoldOut(model)) }
}

const judge = (fold: number, model: InjectionModel): readonly Opinion[] => {
  const detector = createInjectionDetector({ model })
  return course.measured.filter(isIn(fold)).map(({ text, channel }) => {
    const matches = detector.detect(text, channel)
    return {
      score: detector.score(text, channel),
      found: matches.length > 0,
      grave: matches.some(({ severity }) => severity === 'high'),
    }
  })
}

parentPort?.on('message', (task: FoldTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(task.do === 'train' ? train(task.fold) : judge(task.fold, task.model))
})
