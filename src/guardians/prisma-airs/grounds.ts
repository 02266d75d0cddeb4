import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Step } from '../../protocol/step.ts'
import type { Content } from './api.ts'
import type { Subject } from './contents.ts'

/** What an answer has to be grounded in: what a person asked, and what was looked up for it. */
interface Ground {
  readonly prompt: string
  readonly sources: readonly string[]
}

/** What sessions have asked and looked up in their turns. */
export interface Grounds {
  /** The same subjects, of an answer with what it has to be grounded in. */
  ground(step: Step, subjects: readonly Subject[]): readonly Subject[]
}

/** Sessions that are remembered. */
const SESSIONS = 1_000
/** Characters of what was looked up that go with an answer; the latest count. */
const SOURCE_LENGTH = 100_000

const join = (texts: readonly string[]): string => texts.join('\n\n').slice(-SOURCE_LENGTH).toWellFormed()

const withGround = ({ content, texts }: Subject, { prompt, sources }: Ground): Subject => {
  const { response, prompt: _asked, ...rest } = content
  const grounded: Content = {
    prompt,
    ...(response === undefined ? {} : { response }),
    context: join(sources),
    ...rest,
  }
  return { content: grounded, texts }
}

/** Makes a memory of what answers have to be grounded in; it keeps what is sent anyway, redacted as that. */
export const createGrounds = (): Grounds => {
  const sessions = createBoundedMap<string, Ground>({ most: SESSIONS })
  const promptsOf = (subjects: readonly Subject[]): readonly string[] =>
    subjects.flatMap(({ content }) => (content.prompt === undefined ? [] : [content.prompt]))

  return Object.freeze<Grounds>({
    ground(step, subjects) {
      const { id } = step.session
      const known = sessions.get(id)
      switch (step.kind) {
        case 'userMessage':
          sessions.set(id, { prompt: join(promptsOf(subjects)), sources: [] })
          return subjects
        case 'knowledgeRetrieval':
        case 'memoryRetrieval':
          if (known !== undefined)
            sessions.set(id, { ...known, sources: [join([...known.sources, ...promptsOf(subjects)])] })
          return subjects
        case 'agentMessage':
        case 'modelResponse':
        case 'turnEnd':
          if (known === undefined || known.prompt === '' || known.sources.length === 0) return subjects
          return subjects.map((one) => withGround(one, known))
        default:
          return subjects
      }
    },
  })
}
