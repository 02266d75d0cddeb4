import { compareLiterals } from './always-true.ts'
import type { InjectionShape } from './injection.ts'
import { type SqlToken, isWord, readTokens } from './tokens.ts'

/** Longer queries are scripts. */
const LONGEST = 16_384

type Shape = readonly [type: InjectionShape['type'], confidence: number]
/** Where in a query these first come up; its length where they do not. */
interface Marks {
  readonly where: number
  readonly from: number
  readonly catalogue: number
  readonly keptSecret: number
}

type Reader = (tokens: readonly SqlToken[], at: number, marks: Marks) => Shape | undefined

const isConstant = (token: SqlToken | undefined): boolean =>
  token?.type === 'number' || token?.type === 'string' || isWord(token, /^(?:null|true|false)$/)

/**
 * `or 1=1`: nobody writes such a condition in a query; query builders begin with `where 1=1 and`, which does not match.
 */
const alwaysTrue: Reader = (tokens, at) => {
  if (!isWord(tokens[at], /^(?:or|\|\|)$/)) return undefined
  let from = at + 1
  while (isWord(tokens[from], /^\($/)) from++
  return compareLiterals(tokens[from], tokens[from + 1], tokens[from + 2]) === true ? ['tautology', 0.9] : undefined
}

const CATALOGUE =
  /^(?:information_schema|pg_catalog|pg_shadow|pg_user|pg_authid|sqlite_master|sqlite_schema|sysobjects|syscolumns|all_tables|user_tables|mysql)$/
const KEPT_SECRET = /^(?:pass(?:word|wd|wort)?(?:_?hash)?|pwd|secret|api_?key|token|ssn|credit_?card|card_?number|cvv)$/

/** A list that is longer counts no places and names no secrets. */
const LONGEST_LIST = 64

/** What a query selects, to its end or to the next one. */
const selected = (tokens: readonly SqlToken[], from: number): readonly SqlToken[] => {
  const part = tokens.slice(from, from + LONGEST_LIST)
  const end = part.findIndex((token) => isWord(token, /^(?:union|;)$/))
  return end === -1 ? part : part.slice(0, end)
}

/** Whether a list consists of constants only: columns are counted or guessed. */
const isCounting = (list: readonly SqlToken[]): boolean =>
  list.length > 0 && list.every((token) => isConstant(token) || isWord(token, /^,$/))

/** A second query for data unrelated to the first: constants, the catalogue, secrets. */
const union: Reader = (tokens, at, marks) => {
  if (!isWord(tokens[at], /^union$/) || marks.from > at) return undefined
  const select = isWord(tokens[at + 1], /^(?:all|distinct)$/) ? at + 2 : at + 1
  if (!isWord(tokens[select], /^select$/)) return undefined
  const added = selected(tokens, select + 1)
  const from = added.findIndex((token) => isWord(token, /^from$/))
  if (isCounting(from === -1 ? added : added.slice(0, from))) return ['union-select', 0.85]
  if (marks.catalogue > at && added.some((token) => isWord(token, CATALOGUE))) return ['union-select', 0.9]
  const asksSecret = from !== -1 && added.slice(0, from).some((token) => isWord(token, KEPT_SECRET))
  return asksSecret && marks.keptSecret > at ? ['union-select', 0.75] : undefined
}

/** A delay in a condition, or after a query that was ended early: it answers by time. */
const delay: Reader = (tokens, at, { where }) => {
  if (
    isWord(tokens[at], /^waitfor$/) &&
    isWord(tokens[at + 1], /^(?:delay|time)$/) &&
    isWord(tokens[at - 1], /^(?:;|then)$/)
  )
    return at > 3 ? ['time-delay', 0.9] : undefined
  if (!isWord(tokens[at], /^(?:sleep|pg_sleep|benchmark|randomblob)$/) || !isWord(tokens[at + 1], /^\($/))
    return undefined
  return at > where ? ['time-delay', 0.9] : undefined
}

/** Errors that disclose the data: XML functions, and groups over a random number. */
const byError: Reader = (tokens, at, { where }) => {
  if (at < where || !isWord(tokens[at + 1], /^\($/)) return undefined
  if (isWord(tokens[at], /^(?:extractvalue|updatexml|gtid_subset)$/)) return ['schema-probe', 0.85]
  return isWord(tokens[at], /^floor$/) && isWord(tokens[at + 2], /^rand$/) ? ['schema-probe', 0.85] : undefined
}

const READERS: readonly Reader[] = [alwaysTrue, union, delay, byError]

/** A comment that begins with the quote which the query put after its value: the value has ended before. */
const CUT = /^(?:--|#|\/\*)[ \t+-]{0,4}['"]/

/**
 * Whether a complete query shows that a value in it broke out, as when a program joins strings. Places in UTF-16 code
 * units.
 */
export const readInjectedQuery = (text: string): InjectionShape | undefined => {
  if (text.length > LONGEST) return undefined
  const tokens = readTokens(text, { backslash: false, doubleStrings: false })
  const code = tokens.filter(({ type }) => type !== 'comment')
  const first = (words: RegExp): number => {
    const at = code.findIndex((token) => isWord(token, words))
    return at === -1 ? code.length : at
  }
  const marks: Marks = {
    where: first(/^where$/),
    from: first(/^from$/),
    catalogue: first(CATALOGUE),
    keptSecret: first(KEPT_SECRET),
  }
  for (const [at, { start }] of code.entries()) {
    for (const read of READERS) {
      const shape = read(code, at, marks)
      if (shape !== undefined)
        return { type: shape[0], confidence: shape[1], start, end: code.at(-1)?.end ?? text.length }
    }
  }
  const last = tokens.at(-1)
  const cut = tokens.length > 4 && last?.type === 'comment' && CUT.test(last.text)
  return cut ? { type: 'comment-cut', confidence: 0.85, start: last.start, end: last.end } : undefined
}
