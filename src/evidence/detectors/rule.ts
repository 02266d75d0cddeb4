import type { Severity } from '../../protocol/evidence.ts'

/** A match of a rule's pattern, for the rule's own assessment. */
export interface Candidate {
  /** The whole searched text. */
  readonly text: string
  /** The suspected value itself. */
  readonly value: string
  /** Start of the value in the text. */
  readonly start: number
  readonly end: number
  /** Place of the anchor. */
  readonly at: number
  /** The whole match of the pattern, including the surroundings of the value. */
  readonly matched: string
}

/** The pattern of a rule, tried only at an anchor; so a thousand rules cost no more than one. */
interface Pattern {
  /**
   * Source of a regular expression that is tried at the anchor (sticky). The value extends from the first to the last
   * matched group (a group may look behind the anchor); without groups it is the whole match. Every repetition is
   * bounded, and a lookbehind guards the left edge.
   */
  readonly pattern: string
  readonly ignoreCase?: boolean
  /** Code units from the start of the pattern to the anchor. */
  readonly before?: number
  /** Minimum Shannon entropy of the value in bits per character. */
  readonly entropy?: number
  /** Assesses a value that matches the pattern: its confidence (0 to 1), or `undefined` to reject it. */
  readonly assess?: (candidate: Candidate) => number | undefined
}

/** A rule as data. */
export interface Rule extends Pattern {
  /** The finding's type, in kebab case. */
  readonly type: string
  readonly severity: Severity
  /** Confidence without `assess`. */
  readonly confidence: number
}

/**
 * A rule whose anchors are literal strings: at least three ASCII characters in lower case, which match either case;
 * others match exactly.
 */
export interface KeywordRule extends Rule {
  readonly anchors: readonly string[]
  /**
   * The anchors begin the value, which is identified by its form alone: split and reversed values are found as well.
   */
  readonly byForm?: true
}

/** A value found by a rule. */
interface Hit {
  readonly start: number
  readonly end: number
  readonly confidence: number
}

/** A compiled rule. */
export interface CompiledRule<R extends Rule = Rule> {
  readonly rule: R
  /** The value at the anchor at this offset. */
  tryAt(text: string, at: number): Hit | undefined
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** Whether a cut at this offset would split a surrogate pair. */
const splitsPair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))

const valueSpan = (match: RegExpExecArray): readonly [number, number] => {
  const { indices } = match
  let from = Infinity
  let to = -1
  for (let group = 1; group < match.length; group++) {
    const span = indices?.[group]
    if (span === undefined) continue
    from = Math.min(from, span[0])
    to = Math.max(to, span[1])
  }
  return to < 0 ? [match.index, match.index + match[0].length] : [from, to]
}

/**
 * Compiles a rule. Each call owns its regular expression, because a sticky one stores its position; it is created when
 * first tried, because most are never tried, and a guard that answers one event pays for each.
 */
export const compileRule = <R extends Rule>(rule: R): CompiledRule<R> => {
  let own: RegExp | undefined
  const { before = 0, entropy = 0, assess } = rule
  return {
    rule,
    tryAt: (text, at) => {
      if (at < before) return undefined
      const regex = (own ??= new RegExp(rule.pattern, rule.ignoreCase === true ? 'diy' : 'dy'))
      regex.lastIndex = at - before
      const match = regex.exec(text)
      if (match === null) return undefined
      const [from, to] = valueSpan(match)
      const value = text.slice(from, to)
      if (to <= from || (entropy > 0 && entropyOf(value) < entropy)) return undefined
      const confidence =
        assess === undefined ? rule.confidence : assess({ text, value, start: from, end: to, at, matched: match[0] })
      if (confidence === undefined) return undefined
      return { start: splitsPair(text, from) ? from - 1 : from, end: splitsPair(text, to) ? to + 1 : to, confidence }
    },
  }
}

/** Shannon entropy of a string, in bits per UTF-16 code unit. */
export const entropyOf = (value: string): number => {
  const plain = new Uint32Array(128)
  const foreign = new Map<number, number>()
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code < 128) plain[code] = (plain[code] ?? 0) + 1
    else foreign.set(code, (foreign.get(code) ?? 0) + 1)
  }
  let bits = 0
  for (const count of plain) if (count > 0) bits -= (count / value.length) * Math.log2(count / value.length)
  for (const count of foreign.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
