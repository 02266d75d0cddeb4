import { SEVERITIES } from '../../../protocol/evidence.ts'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import { findBidi } from './bidi.ts'
import { findInvisible } from './invisible.ts'
import { invisibleAt } from '../text/invisible-characters.ts'
import { findComment, findInvisibleElement, findMarkdownComment } from './markup.ts'
import { findMixedScript, isForeignUnit } from './mixed-script.ts'
import { findTerminal, isEscape } from './terminal.ts'
import { hidden } from './finding.ts'

/** Types of single characters that could each be a piece of one message. */
const PIECES: ReadonlySet<string> = new Set(['zero-width', 'stray-selector', 'invisible-letter'])

/**
 * At least so many pieces, and so many besides the most frequent one: soft hyphens and break opportunities are all
 * alike.
 */
const FEWEST = 16
const FEWEST_OTHERS = 4

/** Whether the pieces vary, like the signs of a message. */
const differ = (text: string, pieces: readonly Match[]): boolean => {
  const counts = new Map<string, number>()
  for (const { start, end } of pieces) {
    const piece = text.slice(start, end)
    counts.set(piece, (counts.get(piece) ?? 0) + 1)
  }
  return pieces.length - Math.max(...counts.values()) >= FEWEST_OTHERS
}

/** Reports single invisible characters all over a text that together form a message. */
const reportSpread = (text: string, found: readonly Match[]): readonly Match[] => {
  const pieces = found.filter(({ type }) => PIECES.has(type))
  if (pieces.length < FEWEST || !differ(text, pieces)) return found
  return found.map((match) =>
    PIECES.has(match.type) ? hidden('invisible-spread', 'high', 0.85, match.start, match.end) : match,
  )
}

const isLetter = (unit: number): boolean => (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

/** State of the scan, so that no part is evaluated twice. */
interface Progress {
  readonly found: Match[]
  /** End of the lines that have been searched for bidi controls. */
  lines: number
  /** End of the evaluated comments, and of the next one. */
  comments: number
  commentEnd: number
  /** End of the evaluated elements. */
  elements: number
}

const scanMarkup = (text: string, at: number, progress: Progress): void => {
  const take = ({ match, end }: { readonly match?: Match; readonly end: number }): number => {
    if (match !== undefined) progress.found.push(match)
    return end
  }
  if (text.startsWith('<!--', at)) {
    if (at < progress.comments) return
    if (progress.commentEnd !== -1 && progress.commentEnd < at + 4) progress.commentEnd = text.indexOf('-->', at + 4)
    progress.comments = take(findComment(text, at, progress.commentEnd))
  } else if (at >= progress.elements && isLetter(text.charCodeAt(at + 1)))
    progress.elements = take(findInvisibleElement(text, at))
}

const scanLine = (text: string, at: number, progress: Progress): void => {
  if (at < progress.lines) return
  const end = text.indexOf('\n', at)
  progress.lines = end === -1 ? text.length : end
  for (const match of findBidi(text, text.lastIndexOf('\n', at) + 1, progress.lines)) progress.found.push(match)
}

/** Evaluates what begins at this offset, and returns where the search continues. */
const scanAt = (text: string, unit: number, at: number, progress: Progress): number => {
  const take = (match: Match | undefined, end = at + 1): number => {
    if (match !== undefined) progress.found.push(match)
    return end
  }
  if (unit === 0x3c) scanMarkup(text, at, progress)
  else if (unit === 0x5b) return take(findMarkdownComment(text, at))
  else if (isEscape(unit)) return take(findTerminal(text, at))
  else if (isForeignUnit(unit)) {
    const { match, end } = findMixedScript(text, at)
    return take(match, Math.max(at + 1, end))
  } else {
    const kind = invisibleAt(text, at)
    if (kind === 'bidi') scanLine(text, at, progress)
    else if (kind !== undefined) {
      const { match, end } = findInvisible(text, at, kind)
      return take(match, end)
    }
  }
  return at + 1
}

const ordinary = (unit: number): boolean => unit < 0x90 && unit !== 0x1b && unit !== 0x3c && unit !== 0x5b

/** Higher severity first, then higher confidence. */
const rank = ({ severity, confidence }: Match): number => -SEVERITIES.indexOf(severity) - confidence / 2

const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** The next character that something hidden may begin with, or the end. By itself, because it runs over every text. */
const nextUnusual = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) if (!ordinary(text.charCodeAt(at))) return at
  return text.length
}

const collect = (text: string): readonly Match[] => {
  const progress: Progress = { found: [], lines: 0, comments: 0, commentEnd: 0, elements: 0 }
  for (let at = nextUnusual(text, 0); at < text.length;)
    at = nextUnusual(text, scanAt(text, text.charCodeAt(at), at, progress))
  return progress.found.map((match) => (splitsPair(text, match.end) ? { ...match, end: match.end + 1 } : match))
}

/**
 * Finds text that a model reads and a person does not see: invisible characters, look-alike letters, reversed text,
 * comments, invisible elements, and terminal sequences, which are executed instead of displayed
 * (docs/detectors/hidden-text.md).
 */
export const createHiddenTextDetector = (): Detector =>
  Object.freeze<Detector>({
    id: 'hidden-text',
    masks: true,
    version: '3',
    detect: (text) => reportSpread(text, withoutOverlaps(collect(text), rank)),
  })
