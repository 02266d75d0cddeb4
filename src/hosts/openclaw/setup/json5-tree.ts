import type { Node } from 'jsonc-parser'
import { brokenSettings } from '../../setup/broken-settings.ts'

/** Deeper than any configuration; the host's own reader would run out of stack somewhere beyond. */
const MOST_DEPTH = 200

const SPACE = /(?:[\s\uFEFF]|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y
const NAME = /(?:[$_\p{L}\p{Nl}]|\\u[\da-f]{4})(?:[$\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\u200C\u200D]|\\u[\da-f]{4})*/iuy
const NUMBER = /[+-]?(?:0x[\da-f]+|Infinity|NaN|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?![$\w])/iy
const WORD = /(?:true|false|null)(?![$\w])/y
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[^]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[^]))*'/y

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
  '\n': '',
  '\r': '',
  '\r\n': '',
  '\u2028': '',
  '\u2029': '',
}

/** `undefined`: an escape that JSON5 does not define. */
const unescaped = (text: string): string | undefined => {
  if (/\\(?:x(?![\da-f]{2})|u(?![\da-f]{4})|[1-9]|0\d)/i.test(text.replaceAll('\\\\', ''))) return undefined
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(\r\n|[^]))/gi, (_, x?: string, u?: string, one?: string) =>
    one === undefined ? String.fromCharCode(Number.parseInt(x ?? u ?? '', 16)) : (ESCAPES[one] ?? one),
  )
}

const numberOf = (text: string): number => {
  const bare = text.replace(/^[+-]/, '')
  return (text.startsWith('-') ? -1 : 1) * (/^nan$/i.test(bare) ? Number.NaN : Number(bare))
}

interface Reader {
  offset: number
  readonly path: string
  readonly text: string
}

const broken = ({ path, text }: Reader, offset: number, why: string): Error => brokenSettings(path, text, offset, why)

/** The next token that matches a pattern, or nothing. */
const take = (reader: Reader, pattern: RegExp): string | undefined => {
  pattern.lastIndex = reader.offset
  const found = pattern.exec(reader.text)?.[0]
  if (found !== undefined) reader.offset += found.length
  return found
}

const takeMark = (reader: Reader, mark: string): boolean => {
  take(reader, SPACE)
  if (reader.text[reader.offset] !== mark) return false
  reader.offset += 1
  return true
}

const stringNode = (reader: Reader): Node | undefined => {
  const { offset } = reader
  const found = take(reader, STRING)
  if (found === undefined) return undefined
  const value = unescaped(found.slice(1, -1))
  if (value === undefined) throw broken(reader, offset, 'this string contains an unknown escape')
  return { type: 'string', offset, length: found.length, value }
}

const scalarNode = (reader: Reader): Node => {
  const { offset } = reader
  const text = stringNode(reader)
  if (text !== undefined) return text
  const word = take(reader, WORD)
  if (word === 'null') return { type: 'null', offset, length: 4, value: null }
  if (word !== undefined) return { type: 'boolean', offset, length: word.length, value: word === 'true' }
  const number = take(reader, NUMBER)
  if (number === undefined) throw broken(reader, offset, 'a value is missing here')
  return { type: 'number', offset, length: number.length, value: numberOf(number) }
}

const nameNode = (reader: Reader): Node => {
  take(reader, SPACE)
  const { offset } = reader
  const quoted = stringNode(reader)
  if (quoted !== undefined) return quoted
  const name = take(reader, NAME)
  const value = name === undefined ? undefined : unescaped(name)
  if (name === undefined || value === undefined) throw broken(reader, offset, 'a name is missing here')
  return { type: 'string', offset, length: name.length, value }
}

/** A node under construction, to which its children can point. */
type Open = Node & { children: Node[]; length: number }

const propertyNode = (reader: Reader, parent: Node, depth: number): Node => {
  const name = nameNode(reader)
  const node: Open = { type: 'property', offset: name.offset, length: 0, parent, children: [name] }
  if (!takeMark(reader, ':')) throw broken(reader, reader.offset, 'a colon is missing here')
  const value = valueNode(reader, depth)
  node.children.push(value)
  node.length = reader.offset - node.offset
  for (const child of node.children) Object.assign(child, { parent: node })
  return node
}

const containerNode = (reader: Reader, type: 'object' | 'array', depth: number): Node => {
  if (depth > MOST_DEPTH) throw broken(reader, reader.offset, 'this is nested too deeply')
  const close = type === 'object' ? '}' : ']'
  const node: Open = { type, offset: reader.offset, length: 0, children: [] }
  reader.offset += 1
  while (!takeMark(reader, close)) {
    if (type === 'object') node.children.push(propertyNode(reader, node, depth))
    else node.children.push(Object.assign(valueNode(reader, depth), { parent: node }))
    if (takeMark(reader, ',')) continue
    if (takeMark(reader, close)) break
    throw broken(reader, reader.offset, `a comma or ${close} is missing here`)
  }
  node.length = reader.offset - node.offset
  return node
}

const valueNode = (reader: Reader, depth: number): Node => {
  take(reader, SPACE)
  const next = reader.text[reader.offset]
  if (next === '{') return containerNode(reader, 'object', depth + 1)
  if (next === '[') return containerNode(reader, 'array', depth + 1)
  return scalarNode(reader)
}

/**
 * Reads JSON5 (spec.json5.org 1.0.0), of which JSON is a part, with the place of everything in it: nodes as those of
 * jsonc-parser, whose functions work on them. The host reads its configuration as JSON, and where that fails as JSON5.
 * @throws SallyportError SP_SETTINGS_BROKEN
 */
export const readJson5 = (path: string, text: string): Node => {
  const reader: Reader = { offset: 0, path, text }
  const root = valueNode(reader, 0)
  take(reader, SPACE)
  if (reader.offset < text.length) throw broken(reader, reader.offset, 'there is text after the value')
  return root
}
