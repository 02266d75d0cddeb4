import { HOLE, HOME_MARK, type OtherToken } from './other-tokens.ts'

/** One argument of a list, with `HOLE` for an unknown part. */
export interface Argument {
  readonly text: string
  /** Nothing of it is known. */
  readonly open: boolean
}

/** Code with the places where its variables get their values. */
export interface OtherCode {
  /** Tokens left: nested values are read anew. */
  readonly room: { left: number }
  readonly tokens: readonly OtherToken[]
  readonly values: ReadonlyMap<string, readonly number[]>
}

const OPENS = new Set(['(', '[', '{'])
const CLOSES = new Set([')', ']', '}'])
/** Limit of tokens for one call. */
const LONGEST_CALL = 160
/** Variables in the values of variables, values of one variable, and arguments of one call. */
const MOST_LEVELS = 4
const MOST_VALUES = 4
const MOST_ARGUMENTS = 48
/** Limit of tokens for all calls of a text. */
const MOST_LOOKS = 4_096
const LOOKS_A_TOKEN = 16

export const isSign = (token: OtherToken | undefined, ...signs: readonly string[]): boolean =>
  token?.type === 'punct' && signs.includes(token.text)

/** Index of the bracket that closes the one at `from`. */
export const closingOf = (tokens: readonly OtherToken[], from: number): number => {
  const last = Math.min(tokens.length, from + LONGEST_CALL)
  let depth = 0
  for (let at = from; at < last; at++) {
    const token = tokens[at]
    if (token?.type !== 'punct') continue
    if (OPENS.has(token.text)) depth++
    else if (CLOSES.has(token.text) && --depth <= 0) return at
  }
  return last
}

/** Index after the statement that continues at a token; a line that begins with a dot continues the one before. */
export const statementEnd = (tokens: readonly OtherToken[], from: number): number => {
  const last = Math.min(tokens.length, from + LONGEST_CALL)
  for (let at = from; at < last; at++) {
    const token = tokens[at]
    if (token?.type !== 'punct') continue
    if (OPENS.has(token.text)) at = closingOf(tokens, at)
    else if (token.text === ';' || CLOSES.has(token.text)) return at
    else if (token.text === '\n' && !isSign(tokens[at + 1], '.', '\n')) return at
  }
  return last
}

/** Index of the first token of a token's statement. */
export const statementStart = (tokens: readonly OtherToken[], from: number): number => {
  let at = from
  while (at > 0 && from - at < LONGEST_CALL && !isSign(tokens[at - 1], ';', '\n', '{', '}')) at--
  return at
}

/**
 * Start of the value that is assigned to a name at a token: `x = …`, `x := …`, `x <- …`, `x: T = …`, `x, y := …`, `set
 * x …`.
 */
const valueAt = (tokens: readonly OtherToken[], at: number): number | undefined => {
  const [one, two, three] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]]
  if (isSign(one, '=')) return isSign(two, '=', '~', '>') ? undefined : at + 2
  if ((isSign(one, ':') && isSign(two, '=')) || (isSign(one, '<') && isSign(two, '-'))) return at + 3
  if (isSign(one, ':') && two?.type === 'name' && isSign(three, '=')) return at + 4
  if (isSign(one, ',') && two?.type === 'name' && isSign(three, ':', '=')) return at + (isSign(three, ':') ? 5 : 4)
  return tokens[at - 1]?.text === 'set' && one?.type === 'string' ? at + 1 : undefined
}

/** Code with its variables. */
export const otherCode = (tokens: readonly OtherToken[]): OtherCode => {
  const values = new Map<string, readonly number[]>()
  for (const [at, token] of tokens.entries()) {
    const value = token.type === 'name' ? valueAt(tokens, at) : undefined
    const found = values.get(token.text) ?? []
    if (value !== undefined && found.length < MOST_VALUES) values.set(token.text, [...found, value])
  }
  return { tokens, values, room: { left: MOST_LOOKS + tokens.length * LOOKS_A_TOKEN } }
}

/** Words between arguments that are not values. */
const NO_VALUE =
  /^(?:new|try[!?]?|await|return|true|True|TRUE|false|False|FALSE|T|F|as|in|let|val|var|const|auto|mut|my|our|nil|null|None|Nothing|sudo)$/

/** Calls that join their arguments: as a path, or as a text. */
const PATH_JOIN =
  /^(?:join\w*|Join|Paths?|of|get|File|resolve|append(?:ing)?(?:Path\w*|Component)?|combine|Combine|catfile|catdir|build_?path|buildPath|child)$/
const TEXT_JOIN = /^(?:format!?|[sS]printf|strcat|cat|paste0?|str|concat|string|f)$/

const besideHome = (text: string, more: string): string =>
  text.endsWith(HOME_MARK) && !more.startsWith('/') ? `${text}/${more}` : text + more

const joinedPath = (parts: readonly string[]): string =>
  parts.reduce((all, part) =>
    part.startsWith('/') && all === '' ? part : `${all.replace(/\/$/, '')}/${part.replace(/^\//, '')}`,
  )

const joinedText = (parts: readonly string[]): string =>
  parts.reduce((all, part) => (/%[sv]|\{\}/.test(all) ? all.replace(/%[sv]|\{\}/, () => part) : all + part))

/** A word without a value: the name of a call or of an argument, a prefix of a string, the head of a form in Lisp. */
const isNoValue = (tokens: readonly OtherToken[], at: number, values: OtherCode['values']): boolean => {
  const [name, next] = [tokens[at]?.text ?? '', tokens[at + 1]]
  if (isSign(next, '(', ':', '=') || NO_VALUE.test(name)) return true
  if (values.has(name)) return false
  if (next?.type === 'string' && name.length <= 2) return true
  return isSign(tokens[at - 1], '(', '/') && next !== undefined && !isSign(next, ',', ')', '+', '.')
}

/**
 * The arguments between two tokens, with calls and lists flattened: `f(["-rf", home + "/x"])` are two. Literal values
 * of variables are inserted.
 */
export const argumentsIn = (code: OtherCode, from: number, to: number, level = 0): readonly Argument[] => {
  const { tokens, values } = code
  const found: Argument[] = []
  let text: string | undefined
  const put = (more: string): void => {
    text = text === undefined ? more : besideHome(text, more)
  }
  const close = (): void => {
    if (text !== undefined && found.length < MOST_ARGUMENTS)
      found.push({ text, open: text !== '' && text.replace(/\ue002[^\ue002]*\ue002/g, '') === '' })
    text = undefined
  }
  const valuesOf = (name: string): readonly Argument[] => {
    const starts = level < MOST_LEVELS ? (values.get(name) ?? []) : []
    return starts.flatMap((start) => argumentsIn(code, start, statementEnd(tokens, start), level + 1))
  }
  const filled = (body: string): string =>
    body.replace(/\ue002([^\ue002]*)\ue002/g, (whole, inner: string) => {
      const [value, ...more] = valuesOf(inner.replace(/^\$/, ''))
      if (value !== undefined && more.length === 0) return value.text
      return inner.startsWith('$') ? inner : whole
    })
  for (let at = from; at < to; at++) {
    const [token, next] = [tokens[at], tokens[at + 1]]
    if (token === undefined || code.room.left-- < 0) break
    if (token.type === 'string') {
      // Where a language needs no sign between them, texts side by side are two.
      if (tokens[at - 1]?.type === 'string' && token.text !== HOME_MARK && text?.endsWith(HOME_MARK) !== true) close()
      put(filled(token.text))
    } else if (token.type === 'punct') {
      if (/^[,;|[]$/.test(token.text) || (token.text === '(' && text !== undefined)) close()
    } else if (isSign(next, '(') && (PATH_JOIN.test(token.text) || TEXT_JOIN.test(token.text))) {
      const end = closingOf(tokens, at + 1)
      const parts = argumentsIn(code, at + 2, end, level).map((one) => one.text)
      if (parts.length > 0) put((PATH_JOIN.test(token.text) ? joinedPath : joinedText)(parts))
      at = end
    } else if (isNoValue(tokens, at, values)) {
      continue
    } else {
      const before = tokens[at - 1]
      if (before?.type === 'string' || before?.text === ')') close()
      const given = valuesOf(token.text)
      if (given.length > 0)
        for (const [index, one] of given.entries()) {
          if (index > 0) close()
          put(one.text)
        }
      else if (!isSign(next, '.') && !isSign(tokens[at - 1], '.')) put(`${HOLE}${token.text}${HOLE}`)
    }
  }
  close()
  return found
}

/** The values that are assigned to variables of these names anywhere in the code. */
export const valuesOfName = (code: OtherCode, names: readonly string[]): readonly Argument[] =>
  names.flatMap((name) =>
    (code.values.get(name) ?? []).flatMap((start) => argumentsIn(code, start, statementEnd(code.tokens, start))),
  )
