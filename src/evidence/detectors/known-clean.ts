import type { Json, JsonObject } from '../../protocol/json.ts'

/** Whether a value holds nothing to be masked, told quickly for values made of texts that were seen before. */
export type KnownClean = (value: JsonObject) => boolean

/** Longer texts differ too often to be worth remembering here; the scanner has a cache of its own for them. */
const LONGEST = 256
/** Texts remembered; then all are forgotten, which costs one slow round. */
const MOST = 8_192
/** Levels and values looked at; what is larger goes the thorough way. */
const LEVELS = 64
const NODES = 10_000

/** What is known of a name: whether it may stand there itself, and which texts were found clean under it. */
interface Named {
  readonly name: string | undefined
  readonly isClean: boolean
  readonly texts: Set<string>
}

/**
 * Most of what is written about a decision is our own few words again and again. Remembers which short texts were found
 * clean, by the name they stood under, which is part of what they mean (`{"password": "…"}`).
 * @param isClean scans one text under its name
 */
export const createKnownClean = (isClean: (name: string | undefined, text: string) => boolean): KnownClean => {
  const known = new Map<string | undefined, Named>()
  let held = 0
  let nodes = 0

  const look = (name: string | undefined): Named => ({
    name,
    isClean: name === undefined || isClean(undefined, name),
    texts: new Set(),
  })
  const named = (name: string | undefined): Named => {
    const present = known.get(name)
    if (present !== undefined) return present
    const fresh = look(name)
    if (name !== undefined && name.length > LONGEST) return fresh
    known.set(name, fresh)
    held++
    return fresh
  }
  const text = (one: string, { name, texts }: Named): boolean => {
    if (one.length > LONGEST) return isClean(name, one)
    if (texts.has(one)) return true
    if (!isClean(name, one)) return false
    texts.add(one)
    held++
    return true
  }
  const visit = (value: Json, under: Named, levels: number): boolean => {
    if (typeof value === 'string') return text(value, under)
    if (value === null || typeof value !== 'object') return true
    if (levels === 0 || ++nodes > NODES) return false
    if (Array.isArray(value)) {
      for (const item of value as readonly Json[]) if (!visit(item, under, levels - 1)) return false
      return true
    }
    for (const member of Object.keys(value)) {
      const own = named(member)
      if (!own.isClean || !visit((value as JsonObject)[member] ?? null, own, levels - 1)) return false
    }
    return true
  }

  return (value) => {
    if (held > MOST) {
      known.clear()
      held = 0
    }
    nodes = 0
    return visit(value, named(undefined), LEVELS)
  }
}
