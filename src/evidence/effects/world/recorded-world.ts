import type { Observation } from '../../../protocol/evidence.ts'
import type { World } from '../../../protocol/world.ts'
import { createAskedWorld, writeQuestion } from './world-question.ts'

/** The world of a replay: gives the answers that `recordQuestions` kept, and no others. */
export const createRecordedWorld = (observations: readonly Observation[]): World => {
  const answers = new Map(observations.map((one) => [one.question, one.answer]))
  return createAskedWorld((question) => answers.get(writeQuestion(question)) ?? null)
}
