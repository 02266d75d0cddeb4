import type { Observation } from '../../protocol/evidence.ts'
import type { World } from '../../protocol/world.ts'
import { askWorld, createAskedWorld, writeQuestion } from './world-question.ts'

/** A world whose questions and answers are kept. */
export interface Recording {
  readonly world: World
  /** In the order asked. */
  observations(): readonly Observation[]
}

/** Wraps a world so that every question with its answer is kept; each question goes to the world behind it once. */
export const recordQuestions = (world: World): Recording => {
  const answers = new Map<string, string | null>()
  return Object.freeze({
    world: createAskedWorld((question) => {
      const text = writeQuestion(question)
      const known = answers.get(text)
      if (known !== undefined) return known
      const answer = askWorld(world, question)
      answers.set(text, answer)
      return answer
    }),
    observations: () => [...answers].map(([question, answer]) => ({ question, answer })),
  })
}
