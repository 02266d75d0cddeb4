import { bareHost } from '../protocol/network-host.ts'
import type { PatternForm } from './schema.ts'

/** Folders that patterns are written against. Absolute, without a slash at the end. */
export interface PatternRoots {
  /** For `~/…`. */
  readonly home: string
  /** For `./…`: root of the step's project. */
  readonly project: string | undefined
}

/** Says why a text is no pattern of its form, or `undefined` when it is one. */
export const patternProblem = (form: PatternForm, pattern: string): string | undefined => {
  if (pattern === '') return 'a pattern may not be empty'
  if (!pattern.isWellFormed() || /\p{Cc}/u.test(pattern)) return 'a pattern may not contain control characters'
  if (pattern.length > 1_024) return 'a pattern may not be longer than 1,024 characters'
  if (form === 'path' && !/^(?:\/|~(?:\/|$)|\.\/|\*\*\/)/.test(pattern))
    return 'a path pattern starts with /, ~/, ./ (the project) or **/'
  if (form === 'host' && !/^(?:\*{1,2}\.)?[^*/\s]+$|^\*$/.test(pattern))
    return 'a host pattern is a host name, *.domain for every subdomain, **.domain for the domain and its subdomains, or *'
  if (form === 'command' && /[/\s]/.test(pattern))
    return 'a command pattern is a program name without folders or arguments'
  return undefined
}

/** Matches `*` (any run of characters) in linear time: greedy with one point to go back to. */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++
      t++
    } else if (star !== -1) {
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

const segments = (path: string): readonly string[] => path.split('/').filter((part) => part !== '' && part !== '.')

const expand = (pattern: string, roots: PatternRoots): readonly string[] | undefined => {
  if (pattern === '~' || pattern.startsWith('~/')) return [...segments(roots.home), ...segments(pattern.slice(1))]
  if (pattern.startsWith('./'))
    return roots.project === undefined ? undefined : [...segments(roots.project), ...segments(pattern)]
  return segments(pattern)
}

/**
 * Whether the path lies at or below what the pattern names. `*` stands for part of one name, `**` for any folders; like
 * .gitignore, a pattern that names a folder names everything in it, and `folder/**` is the folder too.
 * Returns `above` when the path is a folder the pattern reaches into, so that removing it removes what is meant.
 */
const placeOf = (pattern: readonly string[], path: readonly string[]): 'in' | 'above' | 'out' => {
  if (!pattern.includes('**')) {
    const common = Math.min(pattern.length, path.length)
    for (let at = 0; at < common; at++) if (!matchesWildcard(pattern[at] ?? '', path[at] ?? '')) return 'out'
    return path.length >= pattern.length ? 'in' : 'above'
  }
  // reach: positions in the pattern that the names read so far can have led to.
  let reach = new Set<number>([0])
  const close = (): void => {
    for (const at of reach) if (pattern[at] === '**') reach.add(at + 1)
  }
  close()
  for (const name of path) {
    if (reach.has(pattern.length)) return 'in'
    const next = new Set<number>()
    for (const at of reach) {
      const part = pattern[at]
      if (part === '**') next.add(at)
      else if (part !== undefined && matchesWildcard(part, name)) next.add(at + 1)
    }
    reach = next
    if (reach.size === 0) return 'out'
    close()
  }
  return reach.has(pattern.length) ? 'in' : 'above'
}

/** The names that a path is made of. */
export type PathParts = readonly string[]

/** The names of a path, in order, for `createPathPattern`. */
export const pathParts = (path: string): PathParts => segments(path)

/** A pattern for paths in one project: one that is held against many paths is taken apart once. */
export interface PathPattern {
  /** The path is at or below what the pattern names. */
  readonly isIn: (path: PathParts) => boolean
  /** As `isIn`, or the path is a folder above it: a recursive delete of `/srv` touches `/srv/data`. */
  readonly touches: (path: PathParts) => boolean
}

/** Reads a pattern; one of a project matches nothing where no project is known. */
export const createPathPattern = (pattern: string, roots: PatternRoots): PathPattern => {
  const parts = expand(pattern, roots)
  if (parts === undefined) return { isIn: () => false, touches: () => false }
  return {
    isIn: (path) => placeOf(parts, path) === 'in',
    touches: (path) => {
      const place = placeOf(parts, path)
      // `**/…` reaches into every folder; taking that for a touch would make every recursive call match.
      return place === 'in' || (place === 'above' && parts[0] !== '**')
    },
  }
}

/** The path is at or below what the pattern names. */
export const pathIsIn = (pattern: string, path: string, roots: PatternRoots): boolean =>
  createPathPattern(pattern, roots).isIn(segments(path))

/** As `pathIsIn`, or the path is a folder above it. */
export const pathTouches = (pattern: string, path: string, roots: PatternRoots): boolean =>
  createPathPattern(pattern, roots).touches(segments(path))

/** The host is the pattern's, or below its domain. Case, port and a dot at the end do not matter. */
export const hostIsIn = (pattern: string, host: string): boolean => {
  const [wanted, found] = [bareHost(pattern), bareHost(host)]
  if (wanted === '*') return true
  if (wanted.startsWith('**.')) return found === wanted.slice(3) || found.endsWith(wanted.slice(2))
  return wanted.startsWith('*.') ? found.endsWith(wanted.slice(1)) : wanted === found
}

/** Name of the program alone: the last part of how it was called. */
export const programName = (command: string): string => command.slice(command.lastIndexOf('/') + 1)

/** The program is the pattern's. */
export const commandIsIn = (pattern: string, command: string): boolean => matchesWildcard(pattern, programName(command))
