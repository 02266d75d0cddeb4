import type { Observation } from '../../protocol/evidence.ts'
import type { Step } from '../../protocol/step.ts'
import type { World } from '../../protocol/world.ts'
import { analysedInput } from './analyse-effects.ts'
import type { EffectAnalysis } from './analysis.ts'
import { askWorld, readQuestion } from './world-question.ts'

/** Analyses remembered; the one not asked for the longest time goes first. */
const MOST = 2_048
/** Longer inputs and analyses that asked more are made anew: keeping them would cost more than it saves. */
const LONGEST_KEY = 8_192
const MOST_QUESTIONS = 64
/** Characters of answers kept with one analysis: small scripts, not large ones. */
const LONGEST_ANSWERS = 16_384

const stillSo = (world: World, observations: readonly Observation[]): boolean =>
  observations.every(({ question, answer }) => {
    const asked = readQuestion(question)
    // What a concealed file runs is looked at anew: the record holds none of the questions behind it.
    if (asked?.kind === 'concealed' && answer !== null) return false
    return asked !== undefined && askWorld(world, asked) === answer
  })

const isSmall = ({ observations }: EffectAnalysis): boolean =>
  observations.length <= MOST_QUESTIONS &&
  observations.reduce((all, { answer }) => all + (answer?.length ?? 0), 0) <= LONGEST_ANSWERS

/**
 * Remembers analyses. One is a pure function of the call and of what the machine answered, and the answers are on
 * record: so it may be given again exactly when the machine still answers every question the same.
 */
export const createRememberedAnalysis = (
  analyse: (step: Step) => EffectAnalysis,
  world: World,
): ((step: Step) => EffectAnalysis) => {
  const remembered = new Map<string, EffectAnalysis>()
  return (step) => {
    if (step.kind !== 'toolCallRequest' && step.kind !== 'permissionRequest') return analyse(step)
    const { tool } = step.payload
    const { cwd, project } = step.session
    const key = JSON.stringify([step.host, tool, cwd ?? null, project ?? null, analysedInput(step)])
    const known = remembered.get(key)
    if (known !== undefined) remembered.delete(key)
    const analysis = known !== undefined && stillSo(world, known.observations) ? known : analyse(step)
    if (key.length > LONGEST_KEY || !isSmall(analysis)) return analysis
    remembered.set(key, analysis)
    if (remembered.size > MOST) {
      const oldest = remembered.keys().next()
      if (oldest.done !== true) remembered.delete(oldest.value)
    }
    return analysis
  }
}
