/** A token of a language without a reader of its own. */
export interface OtherToken {
  readonly type: 'name' | 'string' | 'punct'
  readonly text: string
  /** Offset in the code after the token. */
  readonly end: number
}

/** The home folder, in a string or alone. */
export const HOME_MARK = '\ue001'
/** A part of a string that only the run determines. */
export const HOLE = '\ue002'

/** A variable of the environment, or a property of the runtime, with the home folder. */
const HOME_VARIABLE =
  /(?:\b(?:secure_)?(?:get_?env|environ\w{0,12}|env|var(?:_os)?|get_?property|properties|props|variable)[\w!]{0,20}(?:\.get)?\s{0,4}[([{<"' ,.]{1,4}\s{0,4}["':]?)(?:HOME|USERPROFILE|user\.home)\b["']?[)\]}>]{0,2}/gi
/** Calls that return the home folder. */
const HOME_CALL =
  /\b(?:get_?)?(?:user_?home(?:_?dir(?:ectory)?)?|home_?(?:dir(?:ectory)?|path)(?:ForCurrentUser)?|NSHomeDirectory|user-homedir-pathname|home-dir|(?:Path|Dir)\.home)\b!?(?:\s{0,4}\(\s{0,4}\))?(?:\.(?:path|string|absolutePath|toString|unwrap|expect)\b(?:\([^()]{0,64}\))?|[!?])*/gi
const HOME_SHORT =
  /\$(?:::env\(HOME\)|\*HOME\b|ENV\{HOME\})|\b(?:os\.path\.expanduser|path\.expand|expanduser|expand_path|Path\.expand)\(\s{0,4}["']~["']\s{0,4}\)/g

const STRING_OPENS = /@?(?:"""|'''|"|'|`)/y
const NAME = /[A-Za-z_$@][\w$-]*[\w$!?]|[A-Za-z_$@]/y
const COMMENT =
  /\/\/[^\n]*|(?<=^|\n)[ \t]*(?:#(?![[{!]|\s{0,4}(?:include|import|define|pragma|if|endif))|--|%%?(?=\s)|;;?)[^\n]*/y
const INTERPOLATION = /#\{([^{}\n]{0,256})\}|\$\{([^{}\n]{0,256})\}|\\\(([^()\n]{0,256})\)|\$(\w{1,64})/g

const unescaped = (text: string): string => text.replace(/\\(["'`\\$])/g, '$1').replaceAll('\\n', '\n')

/** Text of a string with inserted parts: the home folder, or an unknown part. */
const filled = (body: string): string =>
  unescaped(
    body.replace(INTERPOLATION, (whole: string, ...found: readonly unknown[]) => {
      const inner = found.slice(0, 4).find((one) => typeof one === 'string') ?? ''
      if (inner.includes(HOME_MARK) || inner === 'HOME') return HOME_MARK
      // `$x` is the shell's where the code has no such variable.
      return `${HOLE}${/^\$\w/.test(whole) ? whole : inner}${HOLE}`
    }),
  )

const endOf = (code: string, from: number, close: string): number => {
  for (let at = from; at < code.length; at++) {
    if (code[at] === '\\') at++
    else if (code.startsWith(close, at)) return at
    else if (close === "'" && code[at] === '\n') return -1
  }
  return -1
}

/** Code with a mark in place of expressions for the home folder. */
export const withHomeMarks = (source: string): string =>
  source.replace(HOME_VARIABLE, HOME_MARK).replace(HOME_CALL, HOME_MARK).replace(HOME_SHORT, HOME_MARK)

/** Cuts code of any language into names, strings and signs; comments are left out. */
export const otherTokens = (source: string): readonly OtherToken[] => {
  const code = withHomeMarks(source)
  const tokens: OtherToken[] = []
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(code)?.[0]
  }
  // A quote or a comment without an end has none further on either.
  const openUntil = new Map<string, number>()
  const endOfOne = (from: number, close: string): number => {
    if (from < (openUntil.get(close) ?? 0)) return -1
    const end = endOf(code, from, close)
    if (end >= 0) return end
    const line = code.indexOf('\n', from)
    openUntil.set(close, close === "'" && line >= 0 ? line : code.length)
    return -1
  }
  for (let at = 0; at < code.length;) {
    if (code.startsWith('/*', at)) {
      const end = endOfOne(at + 2, '*/')
      at = end < 0 ? at + 2 : end + 2
      continue
    }
    const comment = match(COMMENT, at)
    if (comment !== undefined && comment.length > 0) {
      at += comment.length
      continue
    }
    const open = match(STRING_OPENS, at)
    if (open !== undefined) {
      const quote = open.replace('@', '')
      const end = endOfOne(at + open.length, quote)
      // A quote alone: a lifetime, a type variable, a quoted form.
      if (end >= 0) {
        const body = code.slice(at + open.length, end)
        at = end + quote.length
        tokens.push({ type: 'string', text: filled(body), end: at })
        continue
      }
    }
    const name = match(NAME, at)
    if (name !== undefined) {
      at += name.length
      tokens.push({ type: 'name', text: name, end: at })
      continue
    }
    const char = code[at] ?? ''
    at++
    if (char === HOME_MARK) tokens.push({ type: 'string', text: HOME_MARK, end: at })
    else if (char === '\n' || !/\s/.test(char)) tokens.push({ type: 'punct', text: char, end: at })
  }
  return tokens
}
