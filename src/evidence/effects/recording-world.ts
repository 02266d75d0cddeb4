import type { Observation } from '../../protocol/evidence.ts'
import type { PathKind, World } from '../../protocol/world.ts'

/** A world that remembers what it was asked; each question goes to the world behind it once. */
export interface RecordingWorld extends World {
  observations(): readonly Observation[]
}

/**
 * Wraps a world so that every question with its answer is kept as an observation, in the order asked.
 * Questions read `realPath:/a/b`, `pathKind:/a`, `list:/a`, `read:/a`, `part:1:/a`, `env:NAME`, `home:`; answers of `list` are JSON.
 */
export const createRecordingWorld = (world: World): RecordingWorld => {
  const answers = new Map<string, string | null>()
  const ask = (question: string, find: () => string | null): string | null => {
    const known = answers.get(question)
    if (known !== undefined) return known
    const answer = find()
    answers.set(question, answer)
    return answer
  }
  const listings = new Map<string, readonly string[] | null>()
  return Object.freeze({
    realPath: (path: string) => ask(`realPath:${path}`, () => world.realPath(path)) ?? path,
    pathKind: (path: string) => (ask(`pathKind:${path}`, () => world.pathKind(path)) ?? 'missing') as PathKind,
    list: (path: string) => {
      const known = listings.get(path)
      if (known !== undefined) return known
      const names = world.list(path)
      listings.set(path, names)
      answers.set(`list:${path}`, names === null ? null : JSON.stringify(names))
      return names
    },
    read: (path: string) => ask(`read:${path}`, () => world.read(path)),
    readPart: (path: string, part: number) => ask(`part:${part}:${path}`, () => world.readPart(path, part)),
    env: (name: string) => ask(`env:${name}`, () => world.env(name) ?? null) ?? undefined,
    get home() {
      return ask('home:', () => world.home) ?? '/'
    },
    observations: () => [...answers].map(([question, answer]) => ({ question, answer })),
  })
}
