/** Finds many literal strings in one pass over a text. */
export interface AnchorIndex {
  /** Calls `visit` with the number of each anchor and where it stands, in the order of the text. */
  each(text: string, visit: (anchor: number, at: number) => void): void
}

const GATE_BITS = 15
const GATE_MASK = (1 << GATE_BITS) - 1

const lower = (code: number): number => (code >= 65 && code <= 90 ? code | 32 : code)

/** Three characters in five bits each: folds the case of letters for free, and lets a few strangers in. */
const roll = (hash: number, code: number): number => ((hash << 5) | (code & 31)) & GATE_MASK

const standsAt = (text: string, anchor: string, at: number): boolean => {
  if (at + anchor.length > text.length) return false
  for (let i = 0; i < anchor.length; i++) if (lower(text.charCodeAt(at + i)) !== anchor.charCodeAt(i)) return false
  return true
}

/**
 * Builds the index. A rolling hash of three characters is looked up in a table at each place, about a nanosecond each,
 * however many anchors there are; only where it hits is the anchor itself compared.
 * @param anchors each at least three ASCII characters in lower case; they are found in either case
 */
export const createAnchorIndex = (anchors: readonly string[]): AnchorIndex => {
  const gate = new Uint8Array(1 << GATE_BITS)
  const buckets = new Map<number, { readonly anchor: number; readonly text: string }[]>()
  anchors.forEach((text, anchor) => {
    if (!/^[\x20-\x40\x5b-\x7e]{3,}$/.test(text)) throw new TypeError(`Not an anchor: ${text}`)
    let hash = 0
    for (let i = 0; i < 3; i++) hash = roll(hash, text.charCodeAt(i))
    gate[hash] = 1
    const bucket = buckets.get(hash)
    if (bucket === undefined) buckets.set(hash, [{ anchor, text }])
    else bucket.push({ anchor, text })
  })
  return {
    each: (text, visit) => {
      let hash = 0
      for (let i = 0; i < text.length; i++) {
        hash = ((hash << 5) | (text.charCodeAt(i) & 31)) & GATE_MASK
        if (gate[hash] === 0 || i < 2) continue
        for (const { anchor, text: word } of buckets.get(hash) ?? []) {
          if (standsAt(text, word, i - 2)) visit(anchor, i - 2)
        }
      }
    },
  }
}
