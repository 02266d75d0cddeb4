import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Step } from '../../protocol/step.ts'
import type { Content } from './api.ts'
import type { Subject } from './contents.ts'

/** The grounds of an answer: the person's question, and the content that was looked up for it. */
interface Ground {
  readonly prompt: string
  readonly sources: readonly string[]
}

/** The questions and the looked-up content of the turns of sessions. */
export interface Grounds {
  /** The same subjects, those of an answer with its grounds. */
  ground(step: Step, subjects: readonly Subject[]): readonly Subject[]
}

/** Most remembered sessions. */
const SESSIONS = 1_000
/** Most characters of looked-up content that accompany an answer; the latest count. */
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

/** Makes a memory of the grounds of answers; it stores only what is sent anyway, redacted in the same way. */
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
