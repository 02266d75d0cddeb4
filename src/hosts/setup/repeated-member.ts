import type { Node } from 'jsonc-parser'

/** The name of a member that occurs twice in an object: a host reads the last one, an editor the first. */
export const repeatedMember = (object: Node | undefined): Node | undefined => {
  const seen = new Set<unknown>()
  const names = (object?.children ?? []).flatMap(({ children }) => children?.[0] ?? [])
  return names.find(({ value }) => seen.size === seen.add(value).size)
}
