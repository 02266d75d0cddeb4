import type { Observation } from '../../protocol/evidence.ts'
import type { Step } from '../../protocol/step.ts'
import type { World } from '../../protocol/world.ts'
import { analysedInput } from './analyse-effects.ts'
import type { EffectAnalysis } from './engine/analysis.ts'
import { askWorld, readQuestion } from './world/world-question.ts'

/** Analyses remembered; the one not asked for the longest time goes first. */
const MOST = 2_048
/** Longer inputs and analyses that asked more are made anew: keeping them would cost more than it saves. */
const LONGEST_KEY = 8_192
const MOST_QUESTIONS = 512
/** Characters of answers kept with one analysis: the tests of a project with what they bring in. */
const LONGEST_ANSWERS = 393_216
/** Characters of answers kept with all of them. */
const MOST_ANSWERS = 4_194_304

const stillSo = (world: World, observations: readonly Observation[]): boolean =>
  observations.every(({ question, answer }) => {
    const asked = readQuestion(question)
    // What a concealed file runs is looked at anew: the record holds none of the questions behind it.
    if (asked?.kind === 'concealed' && answer !== null) return false
    return asked !== undefined && askWorld(world, asked) === answer
  })

const sizeOf = ({ observations }: EffectAnalysis): number =>
  observations.reduce((all, { answer }) => all + (answer?.length ?? 0), 0)

interface Remembered {
  readonly analysis: EffectAnalysis
  /** Characters of its answers. */
  readonly size: number
}

/**
 * Remembers analyses. One is a pure function of the call and of what the machine answered, and the answers are on
 * record: so it may be given again exactly when the machine still answers every question the same.
 */
export const createRememberedAnalysis = (
  analyse: (step: Step) => EffectAnalysis,
  world: World,
): ((step: Step) => EffectAnalysis) => {
  const remembered = new Map<string, Remembered>()
  let kept = 0
  const forget = (key: string): Remembered | undefined => {
    const known = remembered.get(key)
    if (known === undefined) return undefined
    remembered.delete(key)
    kept -= known.size
    return known
  }
  const keep = (key: string, analysis: EffectAnalysis, size: number): void => {
    remembered.set(key, { analysis, size })
    kept += size
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MOST && kept <= MOST_ANSWERS) return
      forget(oldest)
    }
  }
  return (step) => {
    if (step.kind !== 'toolCallRequest' && step.kind !== 'permissionRequest') return analyse(step)
    const { tool } = step.payload
    const { cwd, project } = step.session
    const key = JSON.stringify([step.host, tool, cwd ?? null, project ?? null, analysedInput(step)])
    const known = forget(key)
    if (known !== undefined && stillSo(world, known.analysis.observations)) {
      keep(key, known.analysis, known.size)
      return known.analysis
    }
    const analysis = analyse(step)
    const size = sizeOf(analysis)
    if (key.length <= LONGEST_KEY && analysis.observations.length <= MOST_QUESTIONS && size <= LONGEST_ANSWERS)
      keep(key, analysis, size)
    return analysis
  }
}
