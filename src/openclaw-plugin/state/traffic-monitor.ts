import { dropOldest } from '../../bounded/bounded-map.ts'

/**
 * What has been seen pass of late, to tell by it whether something else should have: the texts of models, the runs that
 * were asked about, the tool calls.
 */
export interface Sight {
  /** A text of a model was shown, as an argument of a call or as something said. */
  heard(text: string, isArgument: boolean): void
  /** Whether some string in these was shown as something said, while no argument has ever been shown as one. */
  mistaken(params: unknown): boolean
  /** A run begins to ask its model. */
  began(run: string): void
  /** Whether no text of any model was shown since the run began. */
  silent(run: string): boolean
  /** Something by its id was asked about: a run, a tool call. */
  asked(id: string): void
  wasAsked(id: string): boolean
}

/** Texts that are kept; older ones go first. */
const TEXTS = 128
/** Runs and calls that are kept; older ones are over. */
const IDS = 2_000

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Begins with nothing seen. No text is kept any more once an argument was told as one. */
export const createSight = (): Sight => {
  const said = new Set<string>()
  const runs = new Map<string, number>()
  const ids = new Set<string>()
  let knowsArguments = false
  let count = 0
  return Object.freeze<Sight>({
    heard(text, isArgument) {
      count += 1
      if (knowsArguments) return
      if (isArgument) {
        knowsArguments = true
        said.clear()
        return
      }
      said.add(text)
      dropOldest(said, TEXTS)
    },
    mistaken: (params) => !knowsArguments && stringsIn(params).some((text) => said.has(text)),
    began(run) {
      runs.set(run, count)
      dropOldest(runs, IDS)
    },
    silent: (run) => runs.get(run) === count,
    asked(id) {
      ids.add(id)
      dropOldest(ids, IDS)
    },
    wasAsked: (id) => ids.has(id),
  })
}
