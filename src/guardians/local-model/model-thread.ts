import { Worker } from 'node:worker_threads'
import type { Clock } from '../../core/clock.ts'
import type { FailureKind } from '../../protocol/verdict.ts'
import type { ClassifierOptions } from './classifier.ts'

/** The paths of a model and its runtime, and how it is used. */
export interface ModelPlace extends Pick<ClassifierOptions, 'labels' | 'labelCount' | 'windowTokens' | 'overlap'> {
  readonly modelFile: string
  readonly tokenizerFile: string
  readonly tokenizerConfigFile?: string
  /** URLs of the modules that run it. */
  readonly runtimeModule: string
  readonly tokenizerModule: string
  /** The runtime reads the file by itself. */
  readonly isNative: boolean
  readonly threads: number
}

/** A text for the thread of a model, and the answer. */
export interface ToModel {
  readonly id: number
  readonly text: string
}
export type FromModel =
  | { readonly id: number; readonly score: number }
  | { readonly id: number; readonly failure: string }

export type Scored =
  | { readonly outcome: 'scored'; readonly score: number }
  | { readonly outcome: 'failed'; readonly why: FailureKind; readonly cause: string }

/** A model in a thread of its own, which starts with the first text and ends after a while without any. */
export interface ModelThread {
  /** Never rejects. A text whose caller has gone is classified anyway. */
  classify(text: string): Promise<Scored>
  /** Loads the model, so that the first text need not wait. */
  warm(): void
  close(): void
}

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './model-worker.ts' : './model-worker.js', import.meta.url)
/** Most texts that wait at once. */
const MOST_WAITING = 64
const IDLE_MS = 600_000

const failed = (why: FailureKind, cause: string): Scored => ({ outcome: 'failed', why, cause })

/** Makes one that has not started. */
export const createModelThread = (place: ModelPlace, clock: Clock): ModelThread => {
  const waiting = new Map<number, (scored: Scored) => void>()
  let thread: Worker | undefined
  let next = 0
  let callOff = (): void => {}

  const end = (why: Scored): void => {
    const ended = thread
    thread = undefined
    callOff()
    for (const done of waiting.values()) done(why)
    waiting.clear()
    void ended?.terminate()
  }
  const rest = (): void => {
    callOff()
    callOff = clock.after(IDLE_MS, () => {
      if (waiting.size === 0) end(failed('unreachable', 'it was idle'))
      else rest()
    })
  }
  const started = (): Worker => {
    if (thread !== undefined) return thread
    const made = new Worker(WORKER, { workerData: place })
    // It keeps no process alive.
    made.unref()
    const ends = (cause: string): void => {
      if (thread === made) end(failed('unreachable', cause))
    }
    made.on('message', (message: FromModel) => {
      const done = waiting.get(message.id)
      waiting.delete(message.id)
      if ('score' in message) done?.({ outcome: 'scored', score: message.score })
      else done?.(failed('invalid', message.failure))
    })
    made.on('error', (error: Error) => ends(`its thread failed: ${error.message.slice(0, 100)}`))
    made.on('exit', () => ends('its thread ended'))
    thread = made
    return made
  }

  return Object.freeze<ModelThread>({
    warm() {
      started()
      rest()
    },
    async classify(text) {
      if (waiting.size >= MOST_WAITING) return failed('exhausted', 'too many texts wait')
      const id = next++
      const worker = started()
      rest()
      return new Promise<Scored>((resolve) => {
        waiting.set(id, resolve)
        worker.postMessage({ id, text } satisfies ToModel)
      })
    },
    close: () => end(failed('unreachable', 'the guard is closing')),
  })
}
