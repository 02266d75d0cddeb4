import type { Observation } from '../../../protocol/evidence.ts'
import type { World } from '../../../protocol/world.ts'
import { askWorld, createAskedWorld, writeQuestion } from './world-question.ts'

/** A world with a record of its questions and answers. */
export interface Recording {
  readonly world: World
  /** In the order asked. */
  observations(): readonly Observation[]
}

/** Wraps a world and records every question with its answer; each question goes to the wrapped world once. */
export const recordQuestions = (world: World): Recording => {
  const answers = new Map<string, string | null>()
  // Questions because of a concealed file may contain parts of it.
  let concealing = false
  const listings = new Map<string, readonly string[] | null>()
  const asked = createAskedWorld((question, look) => {
    if (concealing) return askWorld(world, question, look)
    const text = writeQuestion(question)
    const known = answers.get(text)
    if (known !== undefined) return known
    concealing = question.kind === 'concealed'
    let answer: string | null
    try {
      answer = askWorld(world, question, look)
    } finally {
      concealing = false
    }
    answers.set(text, answer)
    return answer
  })
  // A listing is recorded as text; reading it back from there would cost as much as the folder.
  const list = (path: string): readonly string[] | null => {
    if (concealing) return world.list(path)
    const known = listings.get(path)
    if (known !== undefined) return known
    const names = world.list(path)
    listings.set(path, names)
    answers.set(writeQuestion({ kind: 'list', path }), names === null ? null : JSON.stringify(names))
    return names
  }
  return Object.freeze({
    world: { ...asked, list },
    observations: () => [...answers].map(([question, answer]) => ({ question, answer })),
  })
}

/** The world of a replay: returns the answers that `recordQuestions` stored, and no others. */
export const createRecordedWorld = (observations: readonly Observation[]): World => {
  const answers = new Map(observations.map((one) => [one.question, one.answer]))
  return createAskedWorld((question) => answers.get(writeQuestion(question)) ?? null)
}
