import type { PathKind, World } from '../../../protocol/world.ts'

/** One question to the machine, a kind for each method of `World`. */
export type WorldQuestion =
  | { readonly kind: 'realPath' | 'pathKind' | 'list' | 'read' | 'concealed'; readonly path: string }
  | { readonly kind: 'part'; readonly path: string; readonly part: number }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'home' }

/** Every kind, for tests that must cover them all. */
export const QUESTION_KINDS = [
  'realPath',
  'pathKind',
  'list',
  'read',
  'concealed',
  'part',
  'env',
  'home',
] as const satisfies readonly WorldQuestion['kind'][]

/** Reads the text of a concealed file; only its result is stored. */
export type Look = (text: string) => string

/** Answers a question: text in the form of the record, `null` for no answer. */
export type Ask = (question: WorldQuestion, look?: Look) => string | null

/** A question in the form the record keeps: `realPath:/a/b`, `part:1:/a`, `env:NAME`, `home:`. */
export const writeQuestion = (question: WorldQuestion): string => {
  switch (question.kind) {
    case 'realPath':
    case 'pathKind':
    case 'list':
    case 'read':
    case 'concealed':
      return `${question.kind}:${question.path}`
    case 'part':
      return `part:${question.part}:${question.path}`
    case 'env':
      return `env:${question.name}`
    case 'home':
      return 'home:'
    default:
      return question satisfies never
  }
}

const PART = /^(\d+):([^]*)$/

/** Parses the text of `writeQuestion`; `undefined` for anything but a question of this version. */
export const readQuestion = (text: string): WorldQuestion | undefined => {
  const colon = text.indexOf(':')
  const kind = QUESTION_KINDS.find((one) => one === text.slice(0, colon))
  const subject = text.slice(colon + 1)
  switch (kind) {
    case 'realPath':
    case 'pathKind':
    case 'list':
    case 'read':
    case 'concealed':
      return { kind, path: subject }
    case 'part': {
      const [, part, path] = PART.exec(subject) ?? []
      return part === undefined || path === undefined ? undefined : { kind, part: Number(part), path }
    }
    case 'env':
      return { kind, name: subject }
    case 'home':
      return { kind }
    case undefined:
      return undefined
    default:
      return kind satisfies never
  }
}

/** Puts a question to a world. */
export const askWorld = (world: World, question: WorldQuestion, look: Look = () => ''): string | null => {
  switch (question.kind) {
    case 'realPath':
      return world.realPath(question.path)
    case 'pathKind':
      return world.pathKind(question.path)
    case 'list': {
      const names = world.list(question.path)
      return names === null ? null : JSON.stringify(names)
    }
    case 'read':
      return world.read(question.path)
    case 'concealed':
      return world.conceal(question.path, look)
    case 'part':
      return world.readPart(question.path, question.part)
    case 'env':
      return world.env(question.name) ?? null
    case 'home':
      return world.home
    default:
      return question satisfies never
  }
}

const PATH_KINDS: readonly string[] = ['file', 'directory', 'link', 'other', 'missing'] satisfies PathKind[]

const isPathKind = (text: string | null): text is PathKind => text !== null && PATH_KINDS.includes(text)

/** Names in an answer to `list`; `null` when it is not one. */
const namesIn = (answer: string | null): readonly string[] | null => {
  if (answer === null) return null
  try {
    const parsed: unknown = JSON.parse(answer)
    return Array.isArray(parsed) ? parsed.filter((name): name is string => typeof name === 'string') : null
  } catch {
    return null
  }
}

/** Creates a world from answers: what cannot be answered is missing, empty or the question's own path. */
export const createAskedWorld = (ask: Ask): World => {
  const listings = new Map<string, readonly string[] | null>()
  return Object.freeze({
    realPath: (path: string) => ask({ kind: 'realPath', path }) ?? path,
    pathKind: (path: string) => {
      const kind = ask({ kind: 'pathKind', path })
      return isPathKind(kind) ? kind : 'missing'
    },
    list: (path: string) => {
      const known = listings.get(path)
      if (known !== undefined) return known
      const names = namesIn(ask({ kind: 'list', path }))
      listings.set(path, names)
      return names
    },
    read: (path: string) => ask({ kind: 'read', path }),
    readPart: (path: string, part: number) => ask({ kind: 'part', part, path }),
    conceal: (path: string, look: Look) => {
      const answer = ask({ kind: 'concealed', path }, look)
      listings.clear()
      return answer
    },
    env: (name: string) => ask({ kind: 'env', name }) ?? undefined,
    // No accessor: each literal with one creates a hidden class that retains its closure until a full collection.
    home: ask({ kind: 'home' }) ?? '/',
  })
}
