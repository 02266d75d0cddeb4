/** A table of words. */
export type Table = ReadonlySet<string> | ReadonlyMap<string, unknown>

/** What an act returns while a table lacks a word. Nothing else reads the table meanwhile. */
export const lacking = (table: Table, word: string, act: () => string): string => {
  const open = table as Map<string, unknown> & Set<string>
  const value = table instanceof Map ? open.get(word) : undefined
  open.delete(word)
  try {
    return act()
  } finally {
    if (table instanceof Map) open.set(word, value)
    else open.add(word)
  }
}
