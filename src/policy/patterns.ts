import { bareHost } from '../protocol/network-host.ts'
import type { PatternForm } from './schema.ts'

/** Base folders of patterns. Absolute, without a slash at the end. */
export interface PatternRoots {
  /** For `~/…`. */
  readonly home: string
  /** For `./…`: root of the step's project. */
  readonly project: string | undefined
}

/** Why a text is not a pattern of its form; `undefined` when it is one. */
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

/** Matches `*` (any characters) in linear time: greedy with one point to go back to. */
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
 * Whether the path is at or below the pattern's. `*` matches part of one name, `**` any folders; as in .gitignore, a
 * pattern of a folder includes everything in it, and `folder/**` the folder itself. Returns `above` when the path is an
 * ancestor that the pattern reaches into, because removing it removes the matched files.
 */
const placeOf = (pattern: readonly string[], path: readonly string[]): 'in' | 'above' | 'out' => {
  if (!pattern.includes('**')) {
    const common = Math.min(pattern.length, path.length)
    for (let at = 0; at < common; at++) if (!matchesWildcard(pattern[at] ?? '', path[at] ?? '')) return 'out'
    return path.length >= pattern.length ? 'in' : 'above'
  }
  // reach: positions in the pattern after the names read so far.
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

/** The components of a path. */
export type PathParts = readonly string[]

/** The names of a path, in order, for `createPathPattern`. */
export const pathParts = (path: string): PathParts => segments(path)

/** A pattern for paths in one project, parsed once for many paths. */
export interface PathPattern {
  /** The path is at or below the pattern's. */
  readonly isIn: (path: PathParts) => boolean
  /** As `isIn`, or the path is a folder above it: a recursive delete of `/srv` touches `/srv/data`. */
  readonly touches: (path: PathParts) => boolean
}

/** Whether a name fits one part of a pattern. */
const nameTest = (part: string): ((name: string) => boolean) =>
  part.includes('*') ? (name) => matchesWildcard(part, name) : (name) => name === part

/** Parses a pattern; one of a project matches nothing without a project. */
export const createPathPattern = (pattern: string, roots: PatternRoots): PathPattern => {
  const whole = expand(pattern, roots)
  if (whole === undefined) return { isIn: () => false, touches: () => false }
  // `folder/**` is the folder itself.
  const parts = whole.slice(0, Math.max(1, whole.findLastIndex((part) => part !== '**') + 1))
  const [first, last] = parts
  if (first === '**' && last !== undefined && parts.length === 2) {
    const fits = nameTest(last)
    const isIn = (path: PathParts): boolean => path.some(fits)
    return { isIn, touches: isIn }
  }
  return {
    isIn: (path) => placeOf(parts, path) === 'in',
    touches: (path) => {
      const place = placeOf(parts, path)
      // `**/…` reaches into every folder; counting that as a touch would make every recursive call match.
      return place === 'in' || (place === 'above' && first !== '**')
    },
  }
}

/** The path is at or below the pattern's. */
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

/** The program matches the pattern. */
export const commandIsIn = (pattern: string, command: string): boolean => matchesWildcard(pattern, programName(command))
