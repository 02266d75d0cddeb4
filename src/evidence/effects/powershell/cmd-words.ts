/** One command of `cmd` code: its words, and the whole of it as written. */
export interface CmdCommand {
  readonly words: readonly string[]
  readonly raw: string
}

/** Splits `cmd` code into words at spaces, outside of quotes; `^` escapes the next character. */
export const cmdWords = (code: string): readonly string[] => {
  const found: string[] = []
  let [word, quoted, open] = ['', false, false]
  const close = (): void => {
    if (open) found.push(word)
    ;[word, open] = ['', false]
  }
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === '"') [quoted, open] = [!quoted, true]
    else if (char === '^' && !quoted) {
      word += code[++at] ?? ''
      open = true
    } else if (!quoted && /[\s,;]/.test(char)) close()
    else {
      if (!quoted && (char === '/' || char === '>') && word !== '' && !/[:\\/.]/.test(word)) close()
      word += char
      open = true
    }
  }
  close()
  return found
}

/** Cuts `cmd` code at `&`, `&&`, `||`, `|` and line ends, outside of quotes and brackets. */
export const cmdCommands = (code: string): readonly CmdCommand[] => {
  const found: string[] = []
  let [raw, quoted, depth] = ['', false, 0]
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === '"') quoted = !quoted
    if (!quoted && char === '(') depth++
    if (!quoted && char === ')') depth = Math.max(0, depth - 1)
    if (!quoted && char === '^') {
      raw += char + (code[++at] ?? '')
    } else if (!quoted && depth === 0 && /[&|\n]/.test(char)) {
      found.push(raw)
      raw = ''
    } else raw += char
  }
  found.push(raw)
  return found.map((one) => ({ words: cmdWords(one), raw: one.trim() })).filter(({ words }) => words.length > 0)
}

/** A `for` taken apart: the variable's letter, how it goes through the set, the set, and what it does each time. */
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
    /^@?for\s+(?:\/([drlf])\s*)?(?:("[^"]*"|[^%\s(][^\s(]*)\s+)?%{1,2}~?(\w)\s+in\s*\(([^)]*)\)\s*do\s+([^]+)$/i.exec(
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
