import { MAX_TEXTS } from '../values/value.ts'

const range = (from: string, to: string, step: number): readonly string[] | undefined => {
  const numeric = /^-?\d+$/.test(from) && /^-?\d+$/.test(to)
  if (!numeric && !(from.length === 1 && to.length === 1)) return undefined
  const [first, last] = numeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)]
  const stride = Math.max(1, Math.abs(step)) * (first <= last ? 1 : -1)
  const count = Math.min(MAX_TEXTS, Math.floor(Math.abs(last - first) / Math.abs(stride)) + 1)
  return Array.from({ length: count }, (_, at) => {
    const value = first + at * stride
    return numeric ? String(value) : String.fromCharCode(value)
  })
}

/** Finds the first unquoted `{a,b}` or `{1..3}` of a word: the text before, its choices, the text after. */
const brace = (text: string): { before: string; choices: readonly string[]; after: string } | undefined => {
  let [quote, depth, start] = ['', 0, -1]
  let cuts: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '\\') at++
    else if (quote !== '') quote = char === quote ? '' : quote
    else if (char === "'" || char === '"' || char === '`') quote = char
    else if (char === '{' && text[at - 1] !== '$') {
      if (depth++ === 0) [start, cuts] = [at, []]
    } else if (char === ',' && depth === 1) cuts.push(at)
    else if (char === '}' && depth > 0 && --depth === 0) {
      const [before, inner, after] = [text.slice(0, start), text.slice(start + 1, at), text.slice(at + 1)]
      const sequence = /^(.+?)\.\.(.+?)(?:\.\.(-?\d+))?$/.exec(inner)
      const edges = [start, ...cuts, at]
      const choices =
        cuts.length > 0
          ? cuts.concat(at).map((cut, index) => text.slice((edges[index] ?? 0) + 1, cut))
          : sequence && range(sequence[1] ?? '', sequence[2] ?? '', Number(sequence[3] ?? 1))
      if (choices) return { before, choices, after }
    }
  }
  return undefined
}

/** Most braces next to or within one another in a word. */
const LEVELS = 64
/** Most words that one word with braces expands to, and most characters of all of them. */
const MOST_WORDS = 1_024
const LONGEST_WORDS = 1 << 20

/** The words that a word with braces expands to; `undefined` when they exceed the limits. */
export const expandBraces = (text: string): readonly string[] | undefined => {
  let words: readonly string[] = [text]
  for (let level = 0; level < LEVELS; level++) {
    let length = 0
    let isDone = true
    const next: string[] = []
    for (const word of words) {
      const found = brace(word)
      if (found !== undefined) isDone = false
      for (const one of found?.choices.map((choice) => found.before + choice + found.after) ?? [word]) {
        length += one.length
        if (next.length >= MOST_WORDS || length > LONGEST_WORDS) return undefined
        next.push(one)
      }
    }
    if (isDone) return words
    words = next
  }
  return undefined
}
