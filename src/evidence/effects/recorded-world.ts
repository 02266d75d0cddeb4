import type { Observation } from '../../protocol/evidence.ts'
import type { PathKind, World } from '../../protocol/world.ts'

const KINDS: readonly string[] = ['file', 'directory', 'link', 'other', 'missing']

const namesIn = (answer: string): readonly string[] | null => {
  try {
    const parsed: unknown = JSON.parse(answer)
    return Array.isArray(parsed) ? parsed.filter((name): name is string => typeof name === 'string') : null
  } catch {
    return null
  }
}

/** The world of a replay: gives the answers that `createRecordingWorld` wrote down, and knows nothing else. */
export const createRecordedWorld = (observations: readonly Observation[]): World => {
  const answers = new Map(observations.map((one) => [one.question, one.answer]))
  return Object.freeze({
    realPath: (path: string) => answers.get(`realPath:${path}`) ?? path,
    pathKind: (path: string) => {
      const kind = answers.get(`pathKind:${path}`) ?? 'missing'
      return (KINDS.includes(kind) ? kind : 'missing') as PathKind
    },
    list: (path: string) => {
      const answer = answers.get(`list:${path}`)
      return answer === null || answer === undefined ? null : namesIn(answer)
    },
    read: (path: string) => answers.get(`read:${path}`) ?? null,
    readPart: (path: string, part: number) => answers.get(`part:${part}:${path}`) ?? null,
    env: (name: string) => answers.get(`env:${name}`) ?? undefined,
    home: answers.get('home:') ?? '/',
  })
}
