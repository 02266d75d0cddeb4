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
  // What is asked because of a concealed file may hold parts of it.
  let concealing = false
  return Object.freeze({
    world: createAskedWorld((question, look) => {
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
    }),
    observations: () => [...answers].map(([question, answer]) => ({ question, answer })),
  })
}
