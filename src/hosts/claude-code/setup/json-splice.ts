import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser'
import type { JSONPath, Node } from 'jsonc-parser'

/**
 * Changes JSON text member by member: what is not named stays as it was written, to the byte, and taking out what was
 * put in gives back the text from before.
 */

/** Value at a path; `undefined` when there is none. */
export const valueAt = (text: string, path: JSONPath): unknown => {
  const node = nodeAt(text, path)
  return node === undefined ? undefined : (getNodeValue(node) as unknown)
}

const nodeAt = (text: string, path: JSONPath): Node | undefined => {
  const root = parseTree(text)
  return root === undefined ? undefined : findNodeAtLocation(root, path)
}

const end = (node: Node): number => node.offset + node.length

const splice = (text: string, from: number, to: number, instead: string): string =>
  text.slice(0, from) + instead + text.slice(to)

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** One step of indentation, as the file has it. */
const unitOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '

/** Indentation of the line on which an offset lies. */
const indentAt = (text: string, offset: number): string => {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

const written = (text: string, value: unknown, indent: string): string =>
  JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`)

/** Puts a child behind the last one of an object or array; `write` gives its text at an indentation. */
const append = (text: string, container: Node, write: (indent: string) => string): string => {
  const last = container.children?.at(-1)
  const outer = indentAt(text, container.offset)
  if (last === undefined) {
    const inner = outer + unitOf(text)
    const eol = eolOf(text)
    return splice(text, container.offset + 1, end(container) - 1, `${eol}${inner}${write(inner)}${eol}${outer}`)
  }
  const multiline = text.slice(container.offset, container.children?.[0]?.offset).includes('\n')
  const indent = indentAt(text, last.offset)
  const gap = multiline ? `${eolOf(text)}${indent}` : ' '
  return splice(text, end(last), end(last), `,${gap}${write(indent)}`)
}

const removeChild = (text: string, container: Node, child: Node): string => {
  const children = container.children ?? []
  const index = children.indexOf(child)
  const before = children[index - 1]
  const after = children[index + 1]
  if (before !== undefined) return splice(text, end(before), end(child), '')
  if (after !== undefined) return splice(text, child.offset, after.offset, '')
  return splice(text, container.offset + 1, end(container) - 1, '')
}

/** Sets a member of the object at `path`, in its place when it is there. */
export const setMember = (text: string, path: JSONPath, name: string, value: unknown): string => {
  const found = nodeAt(text, [...path, name])
  if (found !== undefined)
    return splice(text, found.offset, end(found), written(text, value, indentAt(text, found.offset)))
  const container = nodeAt(text, path)
  if (container === undefined) return text
  return append(text, container, (indent) => `${JSON.stringify(name)}: ${written(text, value, indent)}`)
}

/** Adds an element to the array at `path`. */
export const addElement = (text: string, path: JSONPath, value: unknown): string => {
  const container = nodeAt(text, path)
  return container === undefined ? text : append(text, container, (indent) => written(text, value, indent))
}

/** Puts a value in the place of the element at `path`. */
export const replaceElement = (text: string, path: JSONPath, value: unknown): string => {
  const found = nodeAt(text, path)
  if (found === undefined) return text
  return splice(text, found.offset, end(found), written(text, value, indentAt(text, found.offset)))
}

/** Takes out the member or element at `path`. */
export const remove = (text: string, path: JSONPath): string => {
  const found = nodeAt(text, path)
  if (found?.parent === undefined) return text
  const child = found.parent.type === 'property' ? found.parent : found
  return child.parent === undefined ? text : removeChild(text, child.parent, child)
}
