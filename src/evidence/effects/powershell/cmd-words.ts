/** One command of `cmd` code: its words, and the whole of it as written. */
export interface CmdCommand {
  readonly words: readonly string[]
  readonly raw: string
  /** It reads the output of the command before it. */
  readonly piped: boolean
}

/** Commands of `cmd` itself: commas separate their words, and options may follow without a blank. */
const OWN =
  /^@?(?:del|erase|rd|rmdir|cd|chdir|dir|copy|md|mkdir|move|ren|rename|type|format|echo|start|call|pushd|cmd|xcopy)$/i

/** Prefix of words that are redirection signs, so that no quoted text is taken for one. */
export const REDIRECTION = '\0'

/** Splits `cmd` code into words at blanks, outside of quotes; `^` escapes the next character. */
export const cmdWords = (code: string, isList = false): readonly string[] => {
  const found: string[] = []
  let [word, quoted, open] = ['', false, false]
  const close = (): void => {
    if (open) found.push(word)
    ;[word, open] = ['', false]
  }
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    const parts = isList || OWN.test(found[0] ?? word)
    if (char === '"') [quoted, open] = [!quoted, true]
    else if (quoted) word += char
    else if (char === '^') {
      word += code[++at] ?? ''
      open = true
    } else if (/\s/.test(char) || (parts && (char === ',' || char === ';'))) close()
    else if (char === '>' || char === '<') {
      // The number of a stream is not a word.
      if (/^\d$/.test(word)) open = false
      close()
      const sign = code.startsWith('>>', at) ? '>>' : char
      at += sign.length - 1
      if (code[at + 1] === '&') at += 2
      else found.push(`${REDIRECTION}${sign}`)
    } else {
      if (char === '/' && parts && (found.length === 0 || /^\/\w$/.test(word))) close()
      word += char
      open = true
    }
  }
  close()
  return found
}

/** Cuts `cmd` code at `&`, `&&`, `||`, `|` and line ends, outside of quotes and brackets. */
export const cmdCommands = (code: string): readonly CmdCommand[] => {
  const found: { raw: string; piped: boolean }[] = []
  let [raw, quoted, depth, piped] = ['', false, 0, false]
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === '"') quoted = !quoted
    if (!quoted && char === '(') depth++
    if (!quoted && char === ')') depth = Math.max(0, depth - 1)
    if (!quoted && char === '^') {
      raw += char + (code[++at] ?? '')
    } else if (char === '\n' || (!quoted && depth === 0 && /[&|]/.test(char) && !/[<>]$/.test(raw))) {
      if (depth > 0) {
        raw += '&'
        continue
      }
      found.push({ raw, piped })
      const twice = code[at + 1] === char
      piped = char === '|' && !twice
      if (twice && char !== '\n') at++
      ;[raw, quoted] = ['', false]
    } else raw += char
  }
  found.push({ raw, piped })
  return found
    .map((one) => ({ words: cmdWords(one.raw), raw: one.raw.trim(), piped: one.piped }))
    .filter(({ words }) => words.length > 0)
}
/** A parsed `for`: the variable's letter, how it walks the set, the set, and its body. */
export interface CmdLoop {
  readonly letter: string
  readonly way: '' | 'd' | 'r' | 'l' | 'f'
  /** The folder that `/r` walks. */
  readonly root: string | undefined
  readonly set: string
  readonly body: string
}

/** Parses a `for`; `undefined` for anything else. */
export const cmdLoop = (raw: string): CmdLoop | undefined => {
  const found =
    /^@?for\s+(?:\/d\s+(?=\/r))?(?:\/([drlf])\s*)?(?:("[^"]*"|[^%\s(][^\s(]*)\s+)?%{1,2}~?(\w)\s+in\s*\(("[^"]*"|'[^']*'|`[^`]*`|[^)]*)\)\s*do\s*([^]+)$/i.exec(
      raw,
    )
  if (found === null) return undefined
  const [, way = '', root, letter = '', set = '', body = ''] = found
  return {
    letter,
    way: way.toLowerCase() as CmdLoop['way'],
    root: root?.replaceAll('"', ''),
    set: set.trim(),
    body: body.trim(),
  }
}

/** The branches of an `if`; `undefined` for anything else. */
export const cmdBranches = (raw: string): readonly string[] | undefined => {
  if (!/^@?if\s/i.test(raw)) return undefined
  const rest = raw
    .replace(/^@?if\s+(?:\/i\s+)?(?:not\s+)?/i, '')
    .replace(
      /^(?:(?:exist|defined|errorlevel|cmdextversion)\s+(?:"[^"]*"|\S+)|(?:"[^"]*"|[^\s=]+)\s*(?:==|\s(?:equ|neq|lss|leq|gtr|geq)\s)\s*(?:"[^"]*"|\S+))\s*/i,
      '',
    )
  return rest.split(/\)\s*else\s*\(?|\selse\s/i).map((part) => part.replace(/^\(|\)$/g, ''))
}
