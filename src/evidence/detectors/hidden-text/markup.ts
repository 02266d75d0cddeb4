import type { Match } from '../detector.ts'
import { hidden } from './finding.ts'
import { instructsAgent } from './instructs.ts'

interface Found {
  readonly match?: Match
  /** End of the evaluated text: nested parts of the same kind belong to it. */
  readonly end: number
}

/** An unclosed comment hides at most this many characters. */
const LONGEST_OPEN = 4096
/** An element with a more distant end is ignored. */
const LONGEST_ELEMENT = 8192

/** The HTML comment that begins here; ordinary ones are normal, those that instruct an AI are not. */
export const findComment = (text: string, at: number, closesAt: number): Found => {
  const end = closesAt === -1 ? Math.min(text.length, at + LONGEST_OPEN) : closesAt + 3
  const instructs = instructsAgent(text.slice(at + 4, end))
  if (instructs) return { match: hidden('html-comment', 'high', 0.85, at, end), end }
  return closesAt === -1 ? { end } : { match: hidden('html-comment', 'low', 0.5, at, end), end }
}

/** `[//]: # (…)` and similar: an unreferenced link definition, which Markdown does not display. */
const MARKDOWN_COMMENT = /\[(?:\/\/|comment|_)?\]: {0,2}(?:#|<>) {0,2}["'(][^\n]{1,4096}/iy

/** The Markdown comment that begins here, at the start of its line, if it instructs an AI. */
export const findMarkdownComment = (text: string, at: number): Match | undefined => {
  if (!/(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at))) return undefined
  const pattern = new RegExp(MARKDOWN_COMMENT)
  pattern.lastIndex = at
  const match = pattern.exec(text)
  if (match === null || !instructsAgent(match[0])) return undefined
  return hidden('markdown-comment', 'high', 0.85, at, at + match[0].length)
}

/** Styles that make an element invisible. */
const INVISIBLE: readonly RegExp[] = [
  /\bdisplay['"]? {0,4}: {0,4}['"]?none\b/i,
  /\bvisibility['"]? {0,4}: {0,4}['"]?(?:hidden|collapse)\b/i,
  /\bfont-?size['"]? {0,4}: {0,4}['"]?(?:0(?:\.0{1,4})?|0?\.[0-4]\d{0,4}|1)(?:px|pt|em|rem|%)?(?=['";\s}]|$)/i,
  /\bopacity['"]? {0,4}: {0,4}['"]?(?:0|0?\.0\d{0,4})(?=['";\s}]|$)/i,
  /\b(?:left|right|top|text-?indent|margin-?left)['"]? {0,4}: {0,4}['"]?-\d{3,6}/i,
  /\bclip(?:-?path)?['"]? {0,4}: {0,4}['"]?(?:rect\(0|inset\((?:50|100)%)/i,
  /\btransform['"]? {0,4}: {0,4}['"]?scale\(0/i,
]
const PALE = String.raw`(?:white|transparent|#fff(?:fff)?|rgba?\( {0,2}255, {0,2}255, {0,2}255|rgba\([^)]{1,24}, {0,2}0\))`
const PALE_TEXT = new RegExp(String.raw`(?:^|[\s"';{])color['"]? {0,4}[:=] {0,4}["']?${PALE}`, 'i')
const GROUND = /background/i
const PALE_GROUND = new RegExp(String.raw`background(?:-?color)?['"]? {0,4}: {0,4}['"]?${PALE}`, 'i')
const HIDDEN_ATTRIBUTE =
  /(?:^|\s)(?:hidden(?=\s|=|\/|$)|aria-hidden {0,2}= {0,2}["']?true|class(?:Name)? {0,2}= {0,2}["'][^"']{0,80}\b(?:sr-only|visually-hidden|hidden|d-none)\b)/i

/** Patterns of this file, for the test of their cost. */
export const MARKUP_PATTERNS: readonly RegExp[] = [
  MARKDOWN_COMMENT,
  ...INVISIBLE,
  PALE_TEXT,
  PALE_GROUND,
  HIDDEN_ATTRIBUTE,
]

const SUSPECT = /styl|hidden|color|sr-only|d-none/i

/** How these attributes make an element invisible: by style for everyone, by `hidden` for programs and some people. */
const invisibleBy = (attributes: string): 'style' | 'attribute' | undefined => {
  if (!SUSPECT.test(attributes)) return undefined
  if (INVISIBLE.some((pattern) => pattern.test(attributes))) return 'style'
  if (PALE_TEXT.test(attributes) && (!GROUND.test(attributes) || PALE_GROUND.test(attributes))) return 'style'
  return HIDDEN_ATTRIBUTE.test(attributes) ? 'attribute' : undefined
}

/** End of the tag that begins here; -1 if another one begins before it. */
const tagEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 62) return at
    if (unit === 60) return -1
  }
  return -1
}

const NAME = /[a-z][a-z0-9-]{0,31}/iy
const UNSEEN_BY_NATURE = /^(?:script|template|noscript|input|img|br|meta|link|svg|path)$/i
/** Fewer words are a label or a symbol. */
const FEWEST_WORDS = 4

/** The element that begins here, if its text is invisible to people. */
export const findInvisibleElement = (text: string, at: number): Found => {
  const none = { end: at + 1 }
  const pattern = new RegExp(NAME)
  pattern.lastIndex = at + 1
  const name = pattern.exec(text)?.[0]
  if (name === undefined || UNSEEN_BY_NATURE.test(name)) return none
  const open = tagEnd(text, at + 1)
  if (open === -1) return none
  const by = invisibleBy(text.slice(at + 1 + name.length, Math.min(open, at + 2048)))
  if (by === undefined || text[open - 1] === '/') return { end: open }
  const inside = text.slice(open + 1, open + 1 + LONGEST_ELEMENT)
  const close = inside.indexOf(`</${name}`)
  if (close === -1) return { end: open }
  const content = inside.slice(0, close).replaceAll(/<[^<>]{0,512}>/g, ' ')
  const end = Math.min(text.length, open + 1 + close + name.length + 3)
  if (instructsAgent(content)) return { match: hidden('invisible-style', 'high', 0.85, at, end), end }
  if (by === 'attribute' || content.trim().split(/\s+/, FEWEST_WORDS).length < FEWEST_WORDS) return { end }
  return { match: hidden('invisible-style', 'low', 0.4, at, end), end }
}
