import { posix } from 'node:path'
import type { World } from '../../../protocol/world.ts'

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

/** A pattern in parts. */
interface Pieces {
  /** The parts between its stars, each as the source of a regular expression. */
  readonly between: readonly string[]
  /** Minimum length of a match in UTF-16 code units. */
  readonly least: number
}

const isLowSurrogate = (char: string): boolean => /[\udc00-\udfff]/.test(char)

const piecesOf = (pattern: string, any: string): Pieces => {
  const before: string[] = []
  let source = ''
  let least = 0
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    if (char === '*') {
      while (pattern[at + 1] === '*') at++
      before.push(source)
      source = ''
      continue
    }
    if (!isLowSurrogate(char)) least++
    if (char === '?') source += any
    else if (char === '\\' && at + 1 < pattern.length) source += escape(pattern[++at] ?? '')
    else if (char === '[') {
      const found = bracket(pattern, at)
      source += found?.source ?? '\\['
      at = found?.end ?? at
    } else source += escape(char)
  }
  return { between: [...before, source], least }
}

/** Whether a text has characters that make it a pattern. */
export const hasGlob = (text: string): boolean => /[*?[]/.test(text)

/** A regular expression that can be used: one that is too large throws when it is first tried, not when it is made. */
const compiled = (source: string, flags: string): RegExp => {
  const regex = new RegExp(source, flags)
  ''.search(regex)
  return regex
}

/** Tests whole texts, as a regular expression does. */
export interface TextTest {
  test(text: string): boolean
}

/**
 * A pattern over a whole text; an invalid one matches everything. The part between two stars is matched at its first
 * occurrence and never searched again: that loses no match, and more stars cost no more. Compiling a pattern of
 * thousands of parts takes longer than everything else about a command, and no name is as long as what it matches: so a
 * text that is too short is not tried, and the pattern is compiled at the first one that is long enough.
 */
export const globPattern = (pattern: string, slash = false): TextTest => {
  const any = slash ? '[^]' : '[^/]'
  const pieces = piecesOf(pattern, any)
  try {
    const regex = new RegExp(`^${boundedSource(pieces, any, 'longest')}$`, 'iu')
    let isTooLarge = false
    const matches = (text: string): boolean => {
      try {
        return isTooLarge || regex.test(text)
      } catch {
        // Compiled at first use.
        isTooLarge = true
        return true
      }
    }
    return { test: (text) => text.length >= pieces.least && matches(text) }
  } catch {
    return /^/
  }
}

/** The same for a part of a text, in the case it is written in; @throws SyntaxError when it cannot be read. */
export const globPart = (
  pattern: string,
  { from, to, how }: { readonly from?: '^'; readonly to?: '$'; readonly how: 'shortest' | 'longest' },
): RegExp => compiled((from ?? '') + boundedSource(piecesOf(pattern, '[^]'), '[^]', how) + (to ?? ''), 'g')

const boundedSource = ({ between: parts }: Pieces, any: string, how: 'shortest' | 'longest'): string => {
  const [first = '', ...rest] = parts
  const last = rest.pop()
  const between = rest.map((piece, at) => `(?=(?<g${at}>${any}*?${piece}))\\k<g${at}>`).join('')
  return first + between + (last === undefined ? '' : `${any}*${how === 'longest' ? '' : '?'}${last}`)
}

/** Whether a text is a pattern of file names; a lone bracket, as the name of a program, is not. */
export const isPattern = (text: string): boolean => /[*?]|\[.+\]|[@+!]\(/s.test(text)

/** A pattern with groups, which are not expanded. */
export const hasGroup = (text: string): boolean => /[@+!*?]\(/.test(text)

/** The expansion of a file pattern: the names that it matches now, or the pattern itself where they are unknown. */
export interface Expansion {
  readonly matches: readonly string[]
  /** Every name in a folder: that folder, absolute. */
  readonly wholeFolder?: string
  readonly pattern: TextTest
  /** More names may match: a folder has too many to be listed, or too many matched. */
  readonly isCut: boolean
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
  let isCut = false
  for (const [at, part] of parts.entries()) {
    if (!hasGlob(part)) {
      found = found.map((base) => posix.join(base, part))
      continue
    }
    const matcher = globPattern(part)
    const here = found.flatMap((base) => {
      const names = world.list(base)
      isCut ||= names === null && world.pathKind(base) === 'directory'
      return (names ?? [])
        .filter((name) => matcher.test(name) && (part.startsWith('.') || !name.startsWith('.')))
        .map((name) => posix.join(base, name))
    })
    isCut ||= here.length > MAX_MATCHES
    found = here.slice(0, MAX_MATCHES)
    if (at < parts.length - 1) found = found.filter((path) => world.pathKind(path) !== 'file')
  }
  const depth = parts.length
  return { matches: found, isCut, pattern: globPattern(absolute), depth, ...(all ? { wholeFolder: folder } : {}) }
}
