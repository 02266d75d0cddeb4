import { posix } from 'node:path'
import { MOST_READ, type PathKind, type World } from '../../../protocol/world.ts'

/** A described machine: file name to content, `null` for a directory, `{ link }` for a symbolic link. */
export interface GivenWorld {
  readonly files?: Readonly<Record<string, string | null | { readonly link: string }>>
  readonly env?: Readonly<Record<string, string>>
  /** Absolute. */
  readonly home?: string
}

const MAX_LINKS = 40
/** Of a path, in characters: no system has longer ones, and looking at each folder of it would cost by the square. */
const LONGEST_PATH = 4_096

/** An in-memory world for `explain` and tests; directories above the files exist implicitly. */
export const createGivenWorld = ({ files = {}, env = {}, home = '/home/user' }: GivenWorld = {}): World => {
  const links = new Map<string, string>()
  const contents = new Map<string, string>()
  const kinds = new Map<string, PathKind>([['/', 'directory']])
  for (const [name, content] of Object.entries(files)) {
    const path = posix.resolve('/', name)
    if (content !== null && typeof content === 'object') {
      links.set(path, content.link)
      kinds.set(path, 'link')
    } else if (content !== null) contents.set(path, content)
    if (content === null || typeof content !== 'object') kinds.set(path, content === null ? 'directory' : 'file')
    for (let up = posix.dirname(path); up !== '/'; up = posix.dirname(up))
      if (!kinds.has(up)) kinds.set(up, 'directory')
  }
  const realPath = (path: string, hops = 0): string => {
    const full = posix.resolve('/', path)
    if (links.size === 0) return full
    const cut = full.length > LONGEST_PATH ? full.lastIndexOf('/', LONGEST_PATH) : 0
    if (cut > 0) return posix.join(realPath(full.slice(0, cut), hops), full.slice(cut))
    let real = '/'
    const parts = full.split('/').filter(Boolean)
    for (const [at, part] of parts.entries()) {
      const next = posix.join(real, part)
      const link = links.get(next)
      if (link !== undefined && hops < MAX_LINKS)
        return realPath(posix.resolve(real, link, ...parts.slice(at + 1)), hops + 1)
      real = next
    }
    return real
  }
  const above = (path: string): string => {
    const full = posix.resolve('/', path)
    return full === '/' ? '/' : posix.join(realPath(posix.dirname(full)), posix.basename(full))
  }
  const read = (path: string): string | null => {
    const content = contents.get(realPath(path)) ?? null
    return content === null || content.length > MOST_READ || content.includes('\0') ? null : content
  }
  return Object.freeze({
    realPath: (path: string) => realPath(path),
    pathKind: (path: string) => kinds.get(above(path)) ?? 'missing',
    list: (path: string) => {
      const folder = realPath(path)
      if (kinds.get(folder) !== 'directory') return null
      const prefix = folder === '/' ? '/' : `${folder}/`
      return [...kinds.keys()].flatMap((name) =>
        name !== '/' && name.startsWith(prefix) && !name.slice(prefix.length).includes('/')
          ? [name.slice(prefix.length)]
          : [],
      )
    },
    read,
    conceal: (path: string, look: (text: string) => string) => {
      const text = read(path)
      return text === null ? null : `given ${look(text)}`
    },
    readPart: (path: string, part: number) => {
      const content = contents.get(realPath(path))?.slice(part * MOST_READ, (part + 1) * MOST_READ) ?? ''
      return content === '' || content.includes('\0') ? null : content
    },
    env: (name: string) => (Object.hasOwn(env, name) ? env[name] : undefined),
    home,
  })
}
