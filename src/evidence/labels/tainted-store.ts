import { createHash } from 'node:crypto'
import { isArray } from '../../protocol/json.ts'
import type { Json } from '../../protocol/json.ts'
import type { Source } from './ledger.ts'

/** What outlives a session: memory written under taint, and files that came from elsewhere. One for a whole guard. */
export interface TaintedStore {
  /** Marks a memory: by its key and by each of its lines. */
  remember(store: string, query: Json | undefined, content: Json): void
  /** Whether what comes back from a store was written under taint; when marks were forgotten, everything counts so. */
  holds(store: string, query: Json | undefined, content: Json): boolean
  markPath(path: string, source: Source): void
  /** The source of a path, or of the folder that was brought in with it. */
  pathSource(path: string): Source | undefined
  readonly forgotten: boolean
}

const LINES = 1_024
const SHORTEST_LINE = 12
const KEY_NAMES = ['key', 'id', 'path', 'name', 'title']

const hashOf = (store: string, kind: string, text: string): string =>
  createHash('sha256').update(`${store}\0${kind}\0${text}`).digest('base64').slice(0, 16)

/** Every string of a value, without recursion; at most so many. */
export const stringsOf = (root: Json, most = 4_096): readonly string[] => {
  const strings: string[] = []
  const open: Json[] = [root]
  for (let next = open.pop(); next !== undefined && strings.length < most; next = open.pop()) {
    if (typeof next === 'string') strings.push(next)
    else if (isArray(next)) open.push(...next.slice(0, most).toReversed())
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, most).toReversed())
  }
  return strings
}

const keysOf = (value: Json | undefined): readonly string[] => {
  if (typeof value === 'string') return value.length <= 256 && !value.includes('\n') ? [value] : []
  if (typeof value !== 'object' || value === null || isArray(value)) return []
  return KEY_NAMES.flatMap((name) => {
    const key = value[name]
    return typeof key === 'string' ? [key] : []
  })
}

const linesOf = (content: Json): readonly string[] =>
  stringsOf(content)
    .flatMap((text) => text.split('\n', LINES))
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE)
    .slice(0, LINES)

const marksOf = (store: string, query: Json | undefined, content: Json): readonly string[] => [
  ...[...keysOf(query), ...(typeof content === 'string' ? [] : keysOf(content))].map((key) =>
    hashOf(store, 'key', key),
  ),
  ...linesOf(content).map((line) => hashOf(store, 'line', line)),
]

const within = <Value>(kept: Map<string, Value>, most: number): boolean => {
  if (kept.size <= most) return true
  const oldest = kept.keys().next()
  if (oldest.done !== true) kept.delete(oldest.value)
  return false
}

/** Makes a store of at most so many marks and paths. */
export const createTaintedStore = (most = 16_384): TaintedStore => {
  const marks = new Map<string, true>()
  const paths = new Map<string, Source>()
  let forgotten = false
  return Object.freeze<TaintedStore>({
    remember: (store, query, content) => {
      for (const mark of marksOf(store, query, content)) {
        marks.delete(mark)
        marks.set(mark, true)
        if (!within(marks, most)) forgotten = true
      }
    },
    holds: (store, query, content) =>
      marks.size > 0 && (forgotten || marksOf(store, query, content).some((mark) => marks.has(mark))),
    markPath: (path, source) => {
      paths.delete(path)
      paths.set(path, source)
      if (!within(paths, most)) forgotten = true
    },
    pathSource: (path) => {
      if (paths.size === 0) return undefined
      for (let at = path; at.length > 1; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
        const source = paths.get(at)
        if (source !== undefined) return source
      }
      return undefined
    },
    get forgotten() {
      return forgotten
    },
  })
}
