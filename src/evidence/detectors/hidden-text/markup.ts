import type { Match } from '../detector.ts'
import { hidden } from './finding.ts'
import { instructsAgent } from './instructs.ts'

interface Found {
  readonly match?: Match
  /** How far this has been judged: what of the same kind begins before is part of it. */
  readonly end: number
}

/** A comment that is never closed hides at most this much of what follows. */
const LONGEST_OPEN = 4096
/** An element whose end is further away is not looked at. */
const LONGEST_ELEMENT = 8192

/** The HTML comment that begins here; ordinary ones are normal, those that tell an AI what to do are not. */
export const findComment = (text: string, at: number, closesAt: number): Found => {
  const end = closesAt === -1 ? Math.min(text.length, at + LONGEST_OPEN) : closesAt + 3
  const instructs = instructsAgent(text.slice(at + 4, end))
  if (instructs) return { match: hidden('html-comment', 'high', 0.85, at, end), end }
  return closesAt === -1 ? { end } : { match: hidden('html-comment', 'low', 0.5, at, end), end }
}

/** `[//]: # (…)` and its like: a link definition that nothing refers to, which Markdown does not show. */
const MARKDOWN_COMMENT = /\[(?:\/\/|comment|_)?\]: {0,2}(?:#|<>) {0,2}["'(][^\n]{1,4096}/iy

/** The Markdown comment that begins here, at the start of its line, when it tells an AI what to do. */
export const findMarkdownComment = (text: string, at: number): Match | undefined => {
  if (!/(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at))) return undefined
  const pattern = new RegExp(MARKDOWN_COMMENT)
  pattern.lastIndex = at
  const match = pattern.exec(text)
  if (match === null || !instructsAgent(match[0])) return undefined
  return hidden('markdown-comment', 'high', 0.85, at, at + match[0].length)
}

/** Ways in which a style makes an element invisible. */
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

/** Patterns of this file, for the check of their cost. */
export const MARKUP_PATTERNS: readonly RegExp[] = [
  MARKDOWN_COMMENT,
  ...INVISIBLE,
  PALE_TEXT,
  PALE_GROUND,
  HIDDEN_ATTRIBUTE,
]

const SUSPECT = /styl|hidden|color|sr-only|d-none/i

/** Whether these attributes make an element invisible: by style for sure, by `hidden` for programs and some people. */
const invisibleBy = (attributes: string): 'style' | 'attribute' | undefined => {
  if (!SUSPECT.test(attributes)) return undefined
  if (INVISIBLE.some((pattern) => pattern.test(attributes))) return 'style'
  if (PALE_TEXT.test(attributes) && (!GROUND.test(attributes) || PALE_GROUND.test(attributes))) return 'style'
  return HIDDEN_ATTRIBUTE.test(attributes) ? 'attribute' : undefined
}

/** Where the tag ends that begins here; -1 when another one begins before. */
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
/** Fewer words are a label or a sign. */
const FEWEST_WORDS = 4

/** The element that begins here, when people do not see what it says. */
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
  const said = inside.slice(0, close).replaceAll(/<[^<>]{0,512}>/g, ' ')
  const end = Math.min(text.length, open + 1 + close + name.length + 3)
  if (instructsAgent(said)) return { match: hidden('invisible-style', 'high', 0.85, at, end), end }
  if (by === 'attribute' || said.trim().split(/\s+/, FEWEST_WORDS).length < FEWEST_WORDS) return { end }
  return { match: hidden('invisible-style', 'low', 0.4, at, end), end }
}
