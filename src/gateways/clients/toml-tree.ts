import type { Node } from 'jsonc-parser'
import { brokenAt, take } from '../../hosts/setup/text-reader.ts'
import type { OpenNode, TextReader } from '../../hosts/setup/text-reader.ts'

/** Deeper than any configuration. */
const MOST_DEPTH = 100

const SPACE = /[ \t]*/y
const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y
const LINE_END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const BARE = /[\w-]+/y
const BASIC = /"(?:[^"\\\n]|\\[^\n])*"/y
const LITERAL = /'[^'\n]*'/y
/** Numbers, dates and truth values, whose form does not matter here. */
const SCALAR = /[\w+-][\w+.:-]*(?: \d\d:[\w.:+-]+)?/y
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|x([\dA-Fa-f]{2})|[ \t]*\r?\n[ \t\r\n]*|([^]))/g
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  e: '\u001B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
}

const takeMark = (reader: TextReader, mark: string): boolean => {
  if (!reader.text.startsWith(mark, reader.offset)) return false
  reader.offset += mark.length
  return true
}

const unescaped = (reader: TextReader, offset: number, text: string): string =>
  text.replace(ESCAPE, (all, u?: string, long?: string, x?: string, one?: string) => {
    const hex = u ?? long ?? x
    const code = hex === undefined ? undefined : Number.parseInt(hex, 16)
    if (code !== undefined && code <= 0x10_ff_ff) return String.fromCodePoint(code)
    if (one === undefined && code === undefined) return ''
    const known = one === undefined ? undefined : ESCAPES[one]
    if (known === undefined) throw brokenAt(reader, offset, `this string contains the unknown escape ${all}`)
    return known
  })

/** The end of a string in three quotes, which may have two more quotes before them. */
const longEnd = (text: string, from: number, quote: string): number | undefined => {
  for (let at = from; at < text.length; at++)
    if (quote === '"' && text[at] === '\\') at++
    else if (text.startsWith(quote.repeat(3), at)) {
      let end = at + 3
      while (end < at + 5 && text[end] === quote) end++
      return end
    }
  return undefined
}

const stringNode = (reader: TextReader): Node | undefined => {
  const { offset, text } = reader
  const quote = text[offset]
  if (quote !== '"' && quote !== "'") return undefined
  if (text.startsWith(quote.repeat(3), offset)) {
    const end = longEnd(text, offset + 3, quote)
    if (end === undefined) throw brokenAt(reader, offset, 'this string has no end')
    reader.offset = end
    const inside = text.slice(offset + 3, end - 3).replace(/^\r?\n/, '')
    const value = quote === '"' ? unescaped(reader, offset, inside) : inside
    return { type: 'string', offset, length: end - offset, value }
  }
  const found = take(reader, quote === '"' ? BASIC : LITERAL)
  if (found === undefined) throw brokenAt(reader, offset, 'this string has no end')
  const inside = found.slice(1, -1)
  const value = quote === '"' ? unescaped(reader, offset, inside) : inside
  return { type: 'string', offset, length: found.length, value }
}

/** The parts of a key: `a."b c".d`. */
const keyNodes = (reader: TextReader): readonly [Node, ...Node[]] => {
  const parts: Node[] = []
  do {
    take(reader, SPACE)
    const { offset } = reader
    const bare = take(reader, BARE)
    const node = bare === undefined ? stringNode(reader) : { type: 'string', offset, length: bare.length, value: bare }
    if (node === undefined) throw brokenAt(reader, offset, 'a name is missing here')
    parts.push(node as Node)
    take(reader, SPACE)
  } while (takeMark(reader, '.'))
  return parts as [Node, ...Node[]]
}

const newTable = (offset: number): OpenNode => ({ type: 'object', offset, length: 0, children: [] })

const memberOf = (table: OpenNode, name: Node): OpenNode | undefined =>
  table.children.find((one) => one.children?.[0]?.value === name.value)?.children?.[1] as OpenNode | undefined

const addMember = (reader: TextReader, table: OpenNode, key: readonly Node[], value: Node): void => {
  const name = key.at(-1) as Node
  if (memberOf(table, name) !== undefined)
    throw brokenAt(reader, name.offset, `${JSON.stringify(name.value)} is here for the second time`)
  const offset = key[0]?.offset ?? name.offset
  table.children.push({ type: 'property', offset, length: reader.offset - offset, children: [name, value] })
}

/** Tables that are complete where they are written: in braces. */
type Closed = Set<Node>

/** The table at a key, made where it does not exist; of a list of tables, the last. */
const tableAt = (reader: TextReader, from: OpenNode, key: readonly Node[], closed: Closed): OpenNode => {
  let table = from
  for (const name of key) {
    const found = memberOf(table, name)
    const next = found?.type === 'array' ? (found.children.at(-1) as OpenNode | undefined) : found
    if (found !== undefined && (next?.type !== 'object' || closed.has(found) || closed.has(next)))
      throw brokenAt(reader, name.offset, `${JSON.stringify(name.value)} is no table that can be extended`)
    const made = next ?? newTable(name.offset)
    if (next === undefined) addMember(reader, table, [name], made)
    table = made
  }
  return table
}

const pairInto = (reader: TextReader, table: OpenNode, closed: Closed, depth: number): void => {
  const key = keyNodes(reader)
  if (!takeMark(reader, '=')) throw brokenAt(reader, reader.offset, '= is missing here')
  take(reader, SPACE)
  const value = valueNode(reader, closed, depth)
  addMember(reader, tableAt(reader, table, key.slice(0, -1), closed), key, value)
}

const containerNode = (reader: TextReader, type: 'object' | 'array', closed: Closed, depth: number): Node => {
  if (depth > MOST_DEPTH) throw brokenAt(reader, reader.offset, 'this is nested too deeply')
  const node: OpenNode = { type, offset: reader.offset, length: 0, children: [] }
  const close = type === 'object' ? '}' : ']'
  reader.offset += 1
  for (take(reader, BLANK); !takeMark(reader, close); take(reader, BLANK)) {
    if (type === 'object') pairInto(reader, node, closed, depth)
    else node.children.push(valueNode(reader, closed, depth))
    take(reader, BLANK)
    if (takeMark(reader, ',')) continue
    if (takeMark(reader, close)) break
    throw brokenAt(reader, reader.offset, `a comma or ${close} is missing here`)
  }
  node.length = reader.offset - node.offset
  closed.add(node)
  return node
}

const valueNode = (reader: TextReader, closed: Closed, depth: number): Node => {
  const { offset, text } = reader
  const first = text[offset]
  if (first === '{') return containerNode(reader, 'object', closed, depth + 1)
  if (first === '[') return containerNode(reader, 'array', closed, depth + 1)
  const string = stringNode(reader)
  if (string !== undefined) return string
  const found = take(reader, SCALAR)
  if (found === undefined) throw brokenAt(reader, offset, 'a value is missing here')
  return { type: 'number', offset, length: found.length, value: found }
}

/** A header, `[a.b]` or `[[a.b]]`, and the table that it begins. */
const headed = (reader: TextReader, root: OpenNode, headers: Set<Node>, closed: Closed): OpenNode => {
  const { offset } = reader
  const isList = takeMark(reader, '[[')
  if (!isList) reader.offset += 1
  const key = keyNodes(reader)
  if (!takeMark(reader, isList ? ']]' : ']')) throw brokenAt(reader, reader.offset, '] is missing here')
  if (isList) {
    const parent = tableAt(reader, root, key.slice(0, -1), closed)
    const known = memberOf(parent, key.at(-1) as Node)
    const list = known ?? { type: 'array' as const, offset, length: 0, children: [] }
    if (list.type !== 'array' || closed.has(list)) throw brokenAt(reader, offset, 'this name is used already')
    if (known === undefined) addMember(reader, parent, key.slice(-1), list)
    const table = newTable(offset)
    list.children.push(table)
    return table
  }
  const table = tableAt(reader, root, key, closed)
  if (headers.has(table)) throw brokenAt(reader, offset, 'this table is here for the second time')
  headers.add(table)
  return table
}

/**
 * Reads TOML (toml.io 1.0, and line breaks in braces) with the place of everything in it: nodes as those of jsonc-parser,
 * whose functions work on them. Numbers, dates and truth values are their text.
 * @throws SallyportError SP_SETTINGS_BROKEN
 */
export const readToml = (path: string, text: string): Node => {
  const reader: TextReader = { offset: 0, path, text }
  const root = newTable(0)
  const headers = new Set<Node>()
  const closed: Closed = new Set()
  let table = root
  for (take(reader, BLANK); reader.offset < text.length; take(reader, BLANK)) {
    if (text[reader.offset] === '[') table = headed(reader, root, headers, closed)
    else pairInto(reader, table, closed, 0)
    if (take(reader, LINE_END) === undefined) throw brokenAt(reader, reader.offset, 'the line should end here')
  }
  return root
}
