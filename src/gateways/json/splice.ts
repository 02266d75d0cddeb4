import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { Node } from 'jsonc-parser'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { Json } from '../../protocol/json.ts'
import { pathAt, withValuesAt } from '../../protocol/json-pointer.ts'

/** A value to be put at a place of a JSON text. */
export type Change = readonly [pointer: string, value: Json]

/**
 * A JSON text with values at existing places replaced; every other byte stays. `undefined` if a place does not exist,
 * one is inside another, or the text would not be read as it should.
 * @param value the text as parsed; it has no duplicate members
 */
export const spliced = (text: string, value: Json, changes: readonly Change[]): string | undefined => {
  const wanted = withValuesAt(value, changes)
  const tree = parseTree(text)
  if (wanted === undefined || tree === undefined) return undefined
  const places: { readonly node: Node; readonly instead: string }[] = []
  for (const [pointer, instead] of changes) {
    const path = pathAt(value, pointer)
    const node = path === undefined ? undefined : findNodeAtLocation(tree, [...path])
    if (node === undefined) return undefined
    places.push({ node, instead: JSON.stringify(instead) })
  }
  let result = ''
  let from = 0
  for (const { node, instead } of places.toSorted((a, b) => a.node.offset - b.node.offset)) {
    if (node.offset < from) return undefined
    result += text.slice(from, node.offset) + instead
    from = node.offset + node.length
  }
  result += text.slice(from)
  return canonicalJson(JSON.parse(result) as Json) === canonicalJson(wanted) ? result : undefined
}
