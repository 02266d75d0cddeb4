import { dropOldest } from '../../bounded/bounded-map.ts'

/**
 * Monitors recent traffic: texts of models, runs that were decided, tool calls. Protections compare it with what a seam
 * of the host has passed on, to detect a missing seam.
 */
export interface TrafficMonitor {
  /** Records a text of a model, which the host has passed on as an argument of a call or as an answer. */
  recordText(text: string, isArgument: boolean): void
  /** Whether the host has passed on a string of these as an answer, and no text as an argument so far. */
  mistookArgument(params: unknown): boolean
  /** Records that a run begins to ask its model. */
  recordRun(run: string): void
  /** Whether no text of any model was recorded since the run began. */
  isRunSilent(run: string): boolean
  /** Records that the guard was asked about a run or a tool call. */
  recordAsked(id: string): void
  wasAsked(id: string): boolean
}

/** Limit of stored texts; the oldest go first. */
const TEXTS = 128
/** Limit of stored runs and calls; older ones are over. */
const IDS = 2_000

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Creates an empty monitor. It stores no texts once the host has marked one as an argument. */
export const createTrafficMonitor = (): TrafficMonitor => {
  const texts = new Set<string>()
  const runs = new Map<string, number>()
  const ids = new Set<string>()
  let knowsArguments = false
  let count = 0
  return Object.freeze<TrafficMonitor>({
    recordText(text, isArgument) {
      count += 1
      if (knowsArguments) return
      if (isArgument) {
        knowsArguments = true
        texts.clear()
        return
      }
      texts.add(text)
      dropOldest(texts, TEXTS)
    },
    mistookArgument: (params) => !knowsArguments && stringsIn(params).some((text) => texts.has(text)),
    recordRun(run) {
      runs.set(run, count)
      dropOldest(runs, IDS)
    },
    isRunSilent: (run) => runs.get(run) === count,
    recordAsked(id) {
      ids.add(id)
      dropOldest(ids, IDS)
    },
    wasAsked: (id) => ids.has(id),
  })
}
