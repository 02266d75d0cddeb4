import { RE2JS } from 're2js'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'

/** A forbidden topic, as a person defines it. */
export interface Topic {
  readonly name: string
  /** Words and phrases, which match whole and in either case. */
  readonly words: readonly string[]
  /** Patterns in RE2 syntax, which takes linear time for any text. */
  readonly patterns?: readonly string[]
}

/** Limit of findings for one text; a forbidden topic is one after the first. */
const MOST = 256

/** The error in a pattern, or undefined. */
export const faultOfPattern = (pattern: string): string | undefined => {
  try {
    RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A finding's type from a topic's name: `Medical advice` is `medical-advice`. */
export const topicType = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]{1,200}/g, '-')
    .replaceAll(/^-|-$/g, '') || 'topic'

const escape = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

type Find = (text: string) => readonly (readonly [start: number, end: number])[]

/** Words are literals: only blanks repeat in their pattern, at most eight. */
const findWords = (words: readonly string[]): Find => {
  const literals = words
    .map((word) =>
      word
        .trim()
        .split(/\s+/)
        .map(escape)
        .join(String.raw`\s{1,8}`),
    )
    .filter((word) => word !== '')
    .toSorted((a, b) => b.length - a.length)
  if (literals.length === 0) return () => []
  const pattern = String.raw`(?<![\p{L}\p{N}])(?:${literals.join('|')})(?![\p{L}\p{N}])`
  return (text) =>
    [...text.matchAll(new RegExp(pattern, 'giu'))].map(({ 0: found, index }) => [index, index + found.length])
}

const findPattern = (pattern: string): Find => {
  const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  return (text) => {
    const places: (readonly [number, number])[] = []
    const matcher = compiled.matcher(text)
    while (places.length < MOST && matcher.find())
      if (matcher.end() > matcher.start()) places.push([matcher.start(), matcher.end()])
    return places
  }
}

const isPairSplit = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))

const matchOf = (text: string, type: string, start: number, end: number): Match => ({
  category: 'topic_violation',
  type,
  severity: 'medium',
  confidence: 0.9,
  start: isPairSplit(text, start) ? start - 1 : start,
  end: isPairSplit(text, end) ? end + 1 : end,
})

/**
 * Finds the configured topics only. Patterns of users run on RE2, never on the engine of the language, which a hostile
 * text can block.
 */
export const createTopicsDetector = (topics: readonly Topic[]): Detector => {
  const finders = topics.flatMap(({ name, words, patterns = [] }) =>
    [findWords(words), ...patterns.map(findPattern)].map((find) => ({ type: topicType(name), find })),
  )
  const named = topics.map(({ name, words, patterns = [] }) => `${name}:${[...words, ...patterns].join(',')}`)
  return Object.freeze<Detector>({
    id: 'topics',
    version: `1(${named.join(';')})`,
    detect: (text) =>
      finders.length === 0
        ? []
        : withoutOverlaps(
            finders.flatMap(({ type, find }) => find(text).map(([start, end]) => matchOf(text, type, start, end))),
            () => 0,
          ).slice(0, MOST),
  })
}
