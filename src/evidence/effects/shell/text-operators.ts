import { globPart } from '../values/glob.ts'
import { LONGEST_JOINED } from '../values/value.ts'
import type { WordHost } from './word-host.ts'

/** Characters of an expanded word per unit of work. */
export const EXPANDED = 256

/** Squared length of a text that is one unit of work when a pattern is tried at each of its positions. */
const TRIED = 8_192

/** Counts a pattern that is tried at every position of a text. */
const spendPlaces = (text: string, pattern: string, host: WordHost): boolean =>
  !pattern.includes('*') || host.spend(Math.floor(text.length ** 2 / TRIED))

/** A text without its shortest or longest match of a pattern at one end. */
export const trim = (text: string, operator: string, pattern: string, host: WordHost): string => {
  const how = operator.length === 2 ? 'longest' : 'shortest'
  try {
    if (operator.startsWith('#')) return text.replace(globPart(pattern, { from: '^', how }), '')
    if (!spendPlaces(text, pattern, host)) return text
    const whole = globPart(pattern, { from: '^', to: '$', how: 'longest' })
    const places = Array.from({ length: text.length + 1 }, (_, at) => (how === 'longest' ? at : text.length - at))
    const start = places.find((at) => text.slice(at).search(whole) === 0)
    return start === undefined ? text : text.slice(0, start)
  } catch {
    return text
  }
}

/** A text with the matches of a pattern replaced; `undefined` where that exceeds the limit. */
export const substituted = (
  text: string,
  operator: string,
  pattern: string,
  by: string,
  host: WordHost,
): string | undefined => {
  const ends = operator === '/#' ? { from: '^' as const } : operator === '/%' ? { to: '$' as const } : {}
  try {
    if (pattern === '' || !spendPlaces(text, pattern, host)) return text
    const found = globPart(pattern, { ...ends, how: 'longest' })
    const regex = operator === '//' ? found : once(found)
    if (!host.spend(Math.floor(text.length / EXPANDED))) return undefined
    // Counted in advance: each match may become as long as the replacement.
    let length = text.length
    text.replace(regex, (match: string) => {
      length += by.length - match.length
      return ''
    })
    return length <= LONGEST_JOINED && host.spend(Math.floor(length / EXPANDED))
      ? text.replace(regex, () => by)
      : undefined
  } catch {
    return text
  }
}

const once = (found: RegExp): RegExp => new RegExp(found.source)

/** A text in upper or lower case, or its first character. */
export const recased = (text: string, operator: string): string => {
  const change = operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase()
  return operator.length === 2 ? change : change.slice(0, 1) + text.slice(1)
}
