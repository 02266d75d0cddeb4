import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { InjectionModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { encodeModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import type { HeldOutTexts } from './calibrations.ts'
import { calibrationsOf } from './calibrations.ts'
import { prepareCourse } from './course.ts'
import type { FoldTask, Opinion, Trained } from './fold-worker.ts'
import type { Sample } from './sources.ts'
import { FOLDS } from './sources.ts'
import type { WordVectors } from './word-vectors.ts'

/** A text with what was said of it by a detector whose weights and calibration have not seen its source. */
export interface Judged extends Opinion {
  readonly sample: Sample
  /** Of its most suspicious stretch by each part alone, as logits. */
  readonly ngrams: number
  readonly words: number
}

/** What comes of leaving each fold out once, and of training on everything. */
export interface CrossValidation {
  readonly judged: readonly Judged[]
  readonly texts: HeldOutTexts
  /** Made without the fold of their place. */
  readonly calibrations: readonly InjectionModel['calibration'][]
  /** The model of all texts, and the same as the file that ships. */
  readonly model: InjectionModel
  readonly file: Uint8Array
  readonly summary: string
}

/** Threads that take one task after the other. */
interface Crew {
  readonly doAll: <T>(tasks: readonly FoldTask[]) => Promise<readonly T[]>
  readonly end: () => Promise<unknown>
}

/** As many threads as there are cores, and no more than there are folds. */
const createCrew = (vectors: WordVectors): Crew => {
  const workers = Array.from(
    { length: Math.min(FOLDS, availableParallelism()) },
    () => new Worker(new URL('fold-worker.ts', import.meta.url), { workerData: vectors }),
  )
  return {
    doAll: async <T>(tasks: readonly FoldTask[]) => {
      const results: T[] = []
      const open = [...tasks.entries()]
      await Promise.all(
        workers.map(async (worker) => {
          for (let next = open.shift(); next !== undefined; next = open.shift()) {
            const [number, task] = next
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
            worker.postMessage(task)
            // An error of the thread rejects this.
            const [result] = (await once(worker, 'message')) as [T]
            results[number] = result
          }
        }),
      )
      return results
    },
    end: () => Promise.all(workers.map((worker) => worker.terminate())),
  }
}

/** The texts that a fold has no part in. */
const textsWithout = (texts: HeldOutTexts, fold: number): HeldOutTexts =>
  new Map([...texts].filter(([{ folds }]) => !folds.includes(fold)))

const most = (values: readonly number[]): number => Math.max(-20, ...values)

/**
 * Leaves each fold out once: of weights, and of the calibration that turns what they say into probabilities. Trains on
 * everything as well, so that whoever reads the figures can tell that the model they speak of is the one that ships.
 */
export const crossValidate = async (vectors: WordVectors): Promise<CrossValidation> => {
  const { measured, summary } = prepareCourse(vectors)
  const folds = Array.from({ length: FOLDS }, (_, fold) => fold)
  const groups = folds.map((fold) => measured.filter((sample) => sample.folds[0] === fold))
  const crew = createCrew(vectors)
  try {
    const trained = await crew.doAll<Trained>([-1, ...folds].map((fold) => ({ do: 'train', fold })))
    const [all, ...held] = trained
    if (all === undefined) throw new Error('no model')
    const texts: HeldOutTexts = new Map(
      groups.flatMap((group, fold) => group.map((sample, at) => [sample, held[fold]?.windows[at] ?? []] as const)),
    )
    const calibrations = folds.map((fold) => calibrationsOf(textsWithout(texts, fold)))
    const opinions = await crew.doAll<readonly Opinion[]>(
      held.flatMap(({ model }, fold): readonly FoldTask[] => {
        const calibration = calibrations[fold]
        return calibration === undefined ? [] : [{ do: 'judge', fold, model: { ...model, calibration } }]
      }),
    )
    const judged = groups.flatMap((group, fold) =>
      group.flatMap((sample, at): readonly Judged[] => {
        const opinion = opinions[fold]?.[at]
        const windows = texts.get(sample) ?? []
        if (opinion === undefined) return []
        const [ngrams, words] = [most(windows.map(({ logit }) => logit)), most(windows.map((one) => one.words))]
        return [{ sample, ...opinion, ngrams, words }]
      }),
    )
    const model = { ...all.model, calibration: calibrationsOf(texts) }
    return { judged, texts, calibrations, model, file: encodeModel(model), summary }
  } finally {
    await crew.end()
  }
}
