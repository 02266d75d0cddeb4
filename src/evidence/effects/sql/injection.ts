import { compareLiterals } from './always-true.ts'
import { type SqlToken, isWord, readTokens } from './tokens.ts'

/** A shape of SQL injection in a text that should be a value. Offsets in UTF-16 code units of the text. */
export interface InjectionShape {
  readonly type:
    | 'union-select'
    | 'tautology'
    | 'stacked-query'
    | 'comment-cut'
    | 'time-delay'
    | 'sub-select'
    | 'file-or-program'
    | 'schema-probe'
  readonly confidence: number
  readonly start: number
  readonly end: number
}

/** Longer texts are not values, but documents, code, or queries. */
const LONGEST = 4_096

/** A text that is a statement itself; `readSql` analyses its acts. */
const IS_STATEMENT =
  /^\s*(?:select|insert\s+into|update\s+\S+\s+set|delete\s+from|create|alter|drop|with|explain|begin|grant|truncate|show|describe|pragma|set|use|merge|replace\s+into|copy|vacuum|call|exec(?:ute)?)\b/i

/** Marks of code and of documents, which may contain or quote such shapes. */
const IS_DOCUMENT = /[{}]\s*[\n;]|=>|\n\s*\n|\b(?:function|const|return|import|def|class)\b\s|^\s*(?:#|\/\/|```|[-*] )/m

type Reader = (tokens: readonly SqlToken[], at: number) => readonly [InjectionShape['type'], number] | undefined

/** A list of words, of which a token may be one. */
interface WordList extends Pick<RegExp, 'test'> {
  readonly all: readonly string[]
}

const listed = (text: string): WordList => {
  const all = text.split(/\s+/)
  const known = new Set(all)
  return { all, test: (word) => known.has(word) }
}

const LOGIC = listed('or and xor || && having where')
const COMPARES = listed('= <=> <> != < > <= >= like rlike regexp is in between sounds div mod')
/** Words whose condition is an injection only where it has constants alone. */
const BRANCHES = listed('when if iif')
const SIGNS = /^(?:=|<=>|<>|!=|<|>|<=|>=|like|between)$/

/** Whether the text ends its value here: a quote closes it, or it is a bare number. A value is one word. */
const breaksOut = (tokens: readonly SqlToken[], at: number): boolean => {
  const [first] = tokens
  if (at !== 1 || first === undefined) return false
  return first.type === 'number' || (first.type === 'string' && !first.open && !/\s/.test(first.text))
}

const skip = (tokens: readonly SqlToken[], at: number, wanted: Pick<RegExp, 'test'>): number => {
  let next = at
  while (isWord(tokens[next], wanted)) next++
  return next
}

const UNITES = listed('union intersect except minus')

const union: Reader = (tokens, at) => {
  if (!isWord(tokens[at], UNITES)) return undefined
  const next = skip(tokens, at + 1, /^(?:all|distinct|distinctrow|\(|@)$/)
  const selected = isWord(tokens[next], /^(?:select|values)$/) && tokens[next + 1] !== undefined
  return selected && !(at === 0 && tokens.length < 4) ? ['union-select', 0.97] : undefined
}

/** `or 1=1`, `and 'a'='b'`, `|| '1'`, `or true`: a word of logic and constants. */
const tautology: Reader = (tokens, at) => {
  if (!isWord(tokens[at], LOGIC) && !isWord(tokens[at], BRANCHES)) return undefined
  const from = skip(tokens, at + 1, /^(?:\(|not|!|-|\+|~|binary)$/)
  const [left, operator, right] = [tokens[from], tokens[from + 1], tokens[skip(tokens, from + 2, /^(?:\(|-|\+|not)$/)]]
  if (compareLiterals(left, operator, right) !== undefined) return ['tautology', 0.95]
  if (isWord(tokens[at], BRANCHES)) return undefined
  if (left?.type === 'string' && isWord(operator, COMPARES) && at > 0) return ['tautology', 0.8]
  if (breaksOut(tokens, at)) {
    if (left?.type === 'string' && left.open && !/\s/.test(left.text)) return ['tautology', 0.75]
    if (isWord(left, /^(?:true|false|null)$/) && operator === undefined) return ['tautology', 0.85]
    const word = isWord(tokens[at], /^(?:or|and|xor|&&)$/)
    const isNull = isWord(operator, /^is$/) && isWord(tokens[from + 2], /^(?:not|null)$/)
    if (word && (isNull || tokens.slice(from, from + 16).some((token) => isWord(token, SIGNS))))
      return ['tautology', 0.75]
  }
  if (left?.type === 'number' && isWord(operator, /^(?:=|<|>|<>|!=|like|in|between|rlike|div)$/) && right !== undefined)
    return ['tautology', 0.85]
  const plain = left?.type === 'number' && operator?.type === 'comment'
  return plain ? ['tautology', 0.85] : undefined
}

/** Verbs of statements with the two tokens that must follow, since many verbs are ordinary words. */
const STATEMENTS: readonly (readonly [verb: RegExp, next: RegExp])[] = [
  [/^(?:insert|merge|replace)$/, /^into /],
  [/^(?:select|update|handler)$/, /^\S/],
  [/^(?:delete|truncate|rename)$/, /^(?:from|table) /],
  [/^drop$/, /^(?:table|database|schema|user|view|index|function|procedure|trigger|role|members|all|column) /],
  [/^create$/, /^(?:table|user|or|function|procedure|database|login|role|trigger|view|index) /],
  [/^alter$/, /^(?:table|user|role|login|database|system) /],
  [/^(?:grant|revoke)$/, /^(?:all|select|insert|update|delete|dba|execute|connect) /],
  [/^(?:declare|set)$/, /^(?:@|(?:global|session|role|password) \w)/],
  [/^if$/, /^(?:\(|exists|not|\d|user|@)/],
  [/^begin$/, /^(?:declare|transaction|tran|waitfor|if|exec|dbms_lock|execute|user_lock)\b/],
  [/^(?:load|backup|restore|attach)$/, /^(?:data|xml|database|\S{1,256} as) /],
  [/^(?:copy|pragma|call)$/, /^\w{1,64} (?:\(|from|to|=|\.) /],
  [/^(?:vacuum|shutdown)$/, /^(?:into|full|with|;) /],
  [/^do$/, /^(?:sleep|benchmark|\$|\s*begin\b)/i],
  [/^kill$/, /^\d/],
  [/^print$/, /^@@/],
  [/^waitfor$/, /^(?:delay|time) /],
  [/^exec(?:ute)?$/, /^(?:xp_|sp_|master|immediate|\(|@|.{0,256}\.\.)/s],
]

/** Statements of one or two words, which count right after a value. */
const WHOLE_STATEMENT: (typeof STATEMENTS)[number] = [
  /^(?:truncate|vacuum|commit|rollback|end|shutdown|reconfigure|copy)$/,
  /^(?:\w{1,64} )?(?: {0,2}$|; |\(|to |from )/,
]

const ENDS = listed(';')

const stacked: Reader = (tokens, at) => {
  const verb = tokens[at + 1]
  if (!isWord(tokens[at], ENDS) || verb?.type !== 'word') return undefined
  if (
    verb.text === 'select' &&
    !tokens.slice(at + 2, at + 30).some((token) => isWord(token, /^(?:from|\(|\*|@@\w{1,64})$/))
  )
    return undefined
  const following = `${tokens[at + 2]?.text ?? ''} ${tokens[at + 3]?.text ?? ''} `
  const known = breaksOut(tokens, at) ? [...STATEMENTS, WHOLE_STATEMENT] : STATEMENTS
  const fits = known.some(([verbs, next]) => verbs.test(verb.text) && next.test(following))
  const sets = verb.text !== 'update' || tokens.slice(at + 2, at + 8).some((token) => isWord(token, /^set$/))
  return fits && sets ? ['stacked-query', 0.9] : undefined
}

const WAITS = listed('waitfor')
const SLEEPS = listed('pg_sleep benchmark sleep dbms_pipe dbms_lock user_lock generate_series randomblob')

const BEFORE_CALLS =
  /^(?:and|or|xor|not|select|if|when|then|else|like|rlike|regexp|by|having|where|in|is|do|div|mod|between|perform|union|all|values)$/

const delays: Reader = (tokens, at) => {
  const token = tokens[at]
  if (isWord(token, WAITS) && isWord(tokens[at + 1], /^(?:delay|time)$/)) return ['time-delay', 0.95]
  const called = isWord(token, SLEEPS)
  const isPackage = isWord(token, /^(?:dbms_pipe|dbms_lock|user_lock)$/)
  if (!called || !isWord(tokens[at + 1], isPackage ? /^\.$/ : /^\($/) || tokens[at - 1]?.text === '.') return undefined
  // In code the call has an object or a keyword of its own before it.
  const before = tokens[at - 1]
  if (before === undefined) return isWord(token, /^(?:pg_sleep|benchmark)$/) ? ['time-delay', 0.9] : undefined
  return before.type === 'word' && !isWord(before, BEFORE_CALLS) ? undefined : ['time-delay', 0.9]
}

const REACHES = listed(
  `load_file extractvalue updatexml gtid_subset xp_cmdshell xp_dirtree xp_regread sp_password sp_oacreate
    utl_http utl_inaddr utl_file dbms_utility dbms_xmlgen xmltype openrowset sys_exec sys_eval pg_read_file
    filetoclob filetoblob lo_import`,
)

const INTO = listed('into')

const reaches: Reader = (tokens, at) => {
  const token = tokens[at]
  const called = isWord(tokens[at + 1], /^[(.]$/) || /^[xs]p_/.test(token?.text ?? '')
  if (token?.type === 'word' && REACHES.test(token.text) && called && at > 0) return ['file-or-program', 0.9]
  const outfile = isWord(token, INTO) && isWord(tokens[at + 1], /^(?:outfile|dumpfile)$/)
  return outfile ? ['file-or-program', 0.9] : undefined
}

const OPENS = listed('( || exists any all and or like')

const subSelect: Reader = (tokens, at) => {
  const opens = isWord(tokens[at], OPENS)
  if (!opens || !isWord(tokens[at + 1], /^select$/) || tokens[at + 2] === undefined) return undefined
  const reads = tokens
    .slice(at + 2, at + 60)
    .some((token) =>
      isWord(token, /^(?:from|case|@@\w{1,64}|version|user|database|char|chr|concat|ascii|binary|sleep)$/),
    )
  const plain = /^(?:number|string)$/.test(tokens[at + 2]?.type ?? '') && at > 0
  return reads || plain ? ['sub-select', 0.88] : undefined
}

const PROBES = listed(
  `information_schema sysobjects syscolumns sysusers pg_catalog pg_shadow sqlite_master all_tables user_tables
    msysobjects @@version @@servername @@datadir group_concat concat_ws`,
)

const SPELLS = listed('char chr ascii substring substr mid unhex hex ord conv md5 sha1 length elt iif if ifnull')

const probes: Reader = (tokens, at) => {
  const token = tokens[at]
  if (token?.type !== 'word' || at === 0) return undefined
  if (PROBES.test(token.text) && tokens[at - 1]?.text !== '-') return ['schema-probe', 0.8]
  if (!SPELLS.test(token.text) || !isWord(tokens[at + 1], /^\($/)) return undefined
  const joined = isWord(tokens[at - 1], /^(?:and|or|\|\||\+|\(|,|=|xor|-|\/|\*|&&|where|having|by|like|when|then|<|>)$/)
  return joined && tokens.length > 5 ? ['schema-probe', 0.75] : undefined
}

/** `order by 10--`, `group by x having 1`, `procedure analyse(`, `limit 1,1 into`. */
const PROCEDURE = listed('procedure')
const ORDERS = listed('order group')

const clause: Reader = (tokens, at) => {
  if (at === 0) return undefined
  if (isWord(tokens[at], PROCEDURE) && isWord(tokens[at + 1], /^analyse$/)) return ['schema-probe', 0.9]
  if (!isWord(tokens[at], ORDERS) || !isWord(tokens[at + 1], /^by$/)) return undefined
  const cut = tokens.at(-1)?.type === 'comment' || isWord(tokens.at(-1), /^;$/)
  return tokens[at + 2]?.type === 'number' && (cut || at < 3) ? ['schema-probe', 0.85] : undefined
}

/** `aa'!='1`, `A' DIV 'B`: two quoted halves, compared. */
const halves: Reader = (tokens, at) => {
  const right = tokens[at + 1]
  if (!isWord(tokens[at], COMPARES) || !breaksOut(tokens, at) || tokens[0]?.type !== 'string' || tokens.length > 4)
    return undefined
  return right?.type === 'string' && right.open && /^[^\s&]{0,20}$/.test(right.text) ? ['tautology', 0.7] : undefined
}

/** A reader of a shape, with the words that the shape begins with. */
interface Shape {
  readonly read: Reader
  readonly begins: readonly WordList[]
}

const SHAPES: readonly Shape[] = [
  { read: union, begins: [UNITES] },
  { read: tautology, begins: [LOGIC, BRANCHES] },
  { read: stacked, begins: [ENDS] },
  { read: delays, begins: [WAITS, SLEEPS] },
  { read: reaches, begins: [REACHES, INTO] },
  { read: subSelect, begins: [OPENS] },
  { read: probes, begins: [PROBES, SPELLS] },
  { read: clause, begins: [PROCEDURE, ORDERS] },
  { read: halves, begins: [COMPARES] },
]

/** The shapes that begin with a word, in their order. Most tokens of any text begin no shape. */
const BEGINNING: ReadonlyMap<string, readonly Shape[]> = new Map(
  SHAPES.flatMap(({ begins }) => begins.flatMap(({ all }) => all)).map((word) => [
    word,
    SHAPES.filter(({ begins }) => begins.some((list) => list.test(word))),
  ]),
)

/** `admin'--`, `x') #`: a quote that ends the value, and a comment that cuts off what follows. */
const cutAfterQuote = (tokens: readonly SqlToken[]): boolean => {
  const last = tokens.at(-1)
  if (last?.type !== 'comment' || tokens[0]?.type !== 'string' || tokens[0].open) return false
  if (!/^\S{0,40}(?: \S{1,40}){0,3}$/.test(tokens[0].text)) return false
  if (isWord(tokens[1], /^(?:,|limit|order|returning|for)$/)) return /^--[\s-]*$/.test(last.text)
  if (isWord(tokens[1], /^(?:and|or)$/) && tokens.length > 4) return /^(?:--[\s-]*$|#\s*$)/.test(last.text)
  return tokens.slice(1, -1).every((token) => isWord(token, /^[);]$/)) && /^(?:--[\s-]*$|#\s*$|\/\*)/.test(last.text)
}

/** `category = 'Gifts'--`: a condition, and a comment without a word. */
const cutCondition = (tokens: readonly SqlToken[]): boolean =>
  tokens.length > 3 &&
  tokens[0]?.type === 'word' &&
  isWord(tokens[1], SIGNS) &&
  tokens.at(-1)?.type === 'comment' &&
  /^--[\s-]*$/.test(tokens.at(-1)?.text ?? '')

const isComment = ({ type }: SqlToken): boolean => type === 'comment'

interface Context {
  /** The text before the value in the assumed query. */
  readonly quote: '' | "'" | '"'
}

const CONTEXTS: readonly Context[] = [{ quote: '' }, { quote: "'" }, { quote: '"' }]

/** Words a bare text may have before the shape; more are prose. */
const MOST_WORDS = 12

const shapeIn = (text: string, { quote }: Context): InjectionShape | undefined => {
  if (quote !== '' && !text.includes(quote)) return undefined
  const tokens = readTokens(quote + text, { backslash: false, doubleStrings: true })
  const code = tokens.some(isComment) ? tokens.filter((token) => !isComment(token)) : tokens
  const shift = quote.length
  const place = (from: number, to: number) => ({
    start: Math.max(0, from - shift),
    end: Math.min(text.length, Math.max(from - shift + 1, to - shift)),
  })
  // The lead is the value before the break-out: a few words at most.
  const lead = quote === '' ? 0 : 1
  const leads = quote === '' ? 0 : (code[0]?.text.trim().split(/\s+/).length ?? 0)
  if (leads > MOST_WORDS) return undefined
  let wordCount = 0
  for (let at = lead; at < code.length; at++) {
    const token = code[at]
    if (token === undefined) break
    if (token.type === 'word' && ++wordCount > MOST_WORDS && quote === '') return undefined
    // A comment may separate the two: with comments the match then begins elsewhere.
    const shapes = tokens[at] === token ? BEGINNING.get(token.text) : SHAPES
    if (shapes === undefined) continue
    for (const { read } of shapes) {
      const found = read(code, at) ?? (read === tautology ? read(tokens, at) : undefined)
      if (found !== undefined && (leads < 5 || found[1] >= 0.9))
        return { type: found[0], confidence: found[1], ...place(token.start, code.at(-1)?.end ?? token.end) }
    }
  }
  if (quote === '' ? !cutCondition(tokens) : !cutAfterQuote(tokens)) return undefined
  return { type: 'comment-cut', confidence: 0.8, ...place(tokens[0]?.end ?? 0, text.length + shift) }
}

/** The same text without its URL encoding, if it has one. */
const decoded = (text: string): string | undefined => {
  if (!/%[0-9a-f]{2}/i.test(text)) return undefined
  const plain = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return plain === text ? undefined : plain
}

const STRONGEST = (a: InjectionShape, b: InjectionShape): number => b.confidence - a.confidence

/**
 * Detects SQL injection in a text that should be a value: a name, an id, a search. It is read three times, as it would
 * be in a query: bare, in single and in double quotes. Statements and documents are skipped.
 */
export const readInjection = (text: string): InjectionShape | undefined => {
  if (text.length < 4 || text.length > LONGEST || IS_STATEMENT.test(text) || IS_DOCUMENT.test(text)) return undefined
  const plain = decoded(text)
  const direct = CONTEXTS.flatMap((context) => shapeIn(text, context) ?? []).toSorted(STRONGEST)[0]
  if (direct !== undefined || plain === undefined) return direct
  const shape = CONTEXTS.flatMap((context) => shapeIn(plain, context) ?? []).toSorted(STRONGEST)[0]
  return shape === undefined ? undefined : { ...shape, start: 0, end: text.length }
}
