import { posix } from 'node:path'
import type { World } from '../../protocol/world.ts'

const MAX_MATCHES = 48

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const bracket = (pattern: string, at: number): { readonly source: string; readonly end: number } | undefined => {
  const end = pattern.indexOf(']', at + 2)
  if (end < 0) return undefined
  const negated = /[!^]/.test(pattern[at + 1] ?? '')
  const inner = pattern
    .slice(at + (negated ? 2 : 1), end)
    .replace(/\[:\w+:\]?/g, 'a-zA-Z0-9_')
    .replace(/[\\\]^]/g, '\\$&')
  return { source: `[${negated ? '^' : ''}${inner}]`, end }
}

/** A shell pattern as the source of a regular expression. `slash`: `*` goes over `/`, as it does outside of file names. */
export const globSource = (pattern: string, slash: boolean): string => {
  const any = slash ? '[^]' : '[^/]'
  let source = ''
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    if (char === '*') {
      while (pattern[at + 1] === '*') at++
      source += `${any}*`
    } else if (char === '?') source += any
    else if (char === '\\' && at + 1 < pattern.length) source += escape(pattern[++at] ?? '')
    else if (char === '[') {
      const found = bracket(pattern, at)
      source += found?.source ?? '\\['
      at = found?.end ?? at
    } else source += escape(char)
  }
  return source
}

/** Whether a text has characters that make it a pattern. */
export const hasGlob = (text: string): boolean => /[*?[]/.test(text)

/** A pattern as a regular expression over a whole text; one that cannot be read matches everything. */
export const globPattern = (pattern: string, slash = false): RegExp => {
  try {
    return new RegExp(`^${globSource(pattern, slash)}$`, 'iu')
  } catch {
    return /^/
  }
}

/** What a file pattern stands for: the names it matches now, or the pattern itself where that cannot be told. */
export interface Expansion {
  readonly matches: readonly string[]
  /** Every name in a folder: that folder, absolute. */
  readonly wholeFolder?: string
  readonly pattern: RegExp
  /** Number of `/` in the absolute pattern. */
  readonly depth: number
}

/** Expands an absolute file pattern against the world. Only existing names come back, at most 48. */
export const expandGlob = (pattern: string, world: World): Expansion => {
  const absolute = posix.normalize(pattern)
  const parts = absolute.split('/').slice(1)
  const last = parts.at(-1) ?? ''
  const folder = posix.dirname(absolute)
  const all = /^(?:\*+|\.\*|\.\?\?\*|\.\[!\.\]\*|\?\*|\*\.\*)$/.test(last) && !hasGlob(folder)
  let found: readonly string[] = ['/']
  for (const [at, part] of parts.entries()) {
    if (!hasGlob(part)) {
      found = found.map((base) => posix.join(base, part))
      continue
    }
    const matcher = globPattern(part)
    found = found
      .flatMap((base) =>
        (world.list(base) ?? [])
          .filter((name) => matcher.test(name) && (part.startsWith('.') || !name.startsWith('.')))
          .map((name) => posix.join(base, name)),
      )
      .slice(0, MAX_MATCHES)
    if (at < parts.length - 1) found = found.filter((path) => world.pathKind(path) !== 'file')
  }
  const depth = parts.length
  return { matches: found, pattern: globPattern(absolute), depth, ...(all ? { wholeFolder: folder } : {}) }
}
