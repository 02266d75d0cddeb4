type Toml = string | readonly Toml[] | { readonly [name: string]: Toml }

const unquoted = (text: string): string =>
  text.startsWith('"')
    ? text.slice(1, -1).replace(/\\(["\\ntbrf])/g, (_, char: string) => (char === 'n' ? '\n' : char))
    : text.slice(1, -1)

const STRING = /"""([^]{0,4000}?)"""|'''([^]{0,4000}?)'''|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/y
const BARE = /[^\s,\]}#=]+/y
const KEY = /[ \t]*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)[ \t]*=[ \t]*/y
const BLANK = /(?:\s|#[^\n]*)+/y
/** The skipped rest of a value in an inline table. */
const REST = /[^,}\n]+/y
const HEADER = /[ \t]*\[{1,2}([^\]\n]+)\]{1,2}[^\n]*/y

const keyParts = (key: string): readonly string[] =>
  [...key.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '')

type Open = { [name: string]: Toml }

const folderOf = (root: Open, parts: readonly string[]): Open =>
  parts.reduce<Open>((at, part) => {
    const known = Object.hasOwn(at, part) ? at[part] : undefined
    if (typeof known === 'object' && !Array.isArray(known)) return known as Open
    const made: Open = Object.create(null) as Open
    at[part] = made
    return made
  }, root)

const DEEPEST = 16

/**
 * Parses the parts of TOML that commands are in: tables, texts, lists and inline tables; other values are their text.
 * Unknown lines are skipped.
 */
export const parseToml = (text: string): Toml => {
  const root: Open = Object.create(null) as Open
  let [at, table] = [0, root]
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return undefined
    at += found[0].length
    return found
  }
  const value = (level: number): Toml => {
    const string = take(STRING)
    if (string) {
      const [, long, raw, , literal] = string
      return (
        long?.replace(/^\n/, '').replace(/\\\n\s*/g, '') ?? raw?.replace(/^\n/, '') ?? literal ?? unquoted(string[0])
      )
    }
    const opens = text[at]
    if ((opens !== '[' && opens !== '{') || level > DEEPEST) return take(BARE)?.[0] ?? ''
    at++
    const items: Toml[] = []
    const inner: Open = Object.create(null) as Open
    while (at < text.length) {
      take(BLANK)
      if (text[at] === ',') at++
      else if (text[at] === ']' || text[at] === '}') break
      else if (opens === '[') {
        const before = at
        items.push(value(level + 1))
        if (at === before) at++
      } else if (!pair(inner, level + 1) && take(REST) === undefined) at++
    }
    at++
    return opens === '[' ? items : inner
  }
  const pair = (into: Open, level: number): boolean => {
    const key = take(KEY)
    if (key === undefined) return false
    const parts = keyParts(key[1] ?? '')
    folderOf(into, parts.slice(0, -1))[parts.at(-1) ?? ''] = value(level)
    return true
  }
  while (at < text.length) {
    take(BLANK)
    const header = take(HEADER)
    if (header) table = folderOf(root, keyParts(header[1] ?? ''))
    else if (!pair(table, 0)) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
    }
  }
  return root
}
