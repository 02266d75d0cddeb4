import type { Json, JsonObject } from './json.ts'

interface Frame {
  readonly container: Json & object
  /** Sorted member names; null for an array. */
  readonly names: readonly string[] | null
  next: number
  first: boolean
}

/**
 * The RFC 8785 form of a value: member names in UTF-16 order, no white space, ECMAScript numbers. Nesting is bounded by
 * memory, not by the call stack. Where RFC 8785 requires an error the event is kept instead, and the form remains one
 * to one with the result of `JSON.parse`: a lone surrogate is written as its escape (`\ud800`), as `JSON.stringify`
 * does; a number that JSON cannot express (NaN, infinities) is `null`; members whose value is `undefined` are omitted.
 */
export const canonicalJson = (root: Json): string => {
  const sorted = sortedCopy(root, SHALLOW)
  return sorted === undefined ? canonicalDeep(root) : JSON.stringify(sorted)
}

/** Levels that recursion may take; deeper values go the slow way. */
const SHALLOW = 64

/** Names that an object cannot have in a chosen order, or at all: those of digits alone, and `__proto__`. */
const isStubborn = (name: string): boolean => {
  const first = name.charCodeAt(0)
  return first <= DIGIT_9 ? ALL_DIGITS.test(name) : first === UNDERSCORE && name === '__proto__'
}

const DIGIT_9 = 57
const UNDERSCORE = 95
const ALL_DIGITS = /^\d+$/

/**
 * The value with its members in order, for `JSON.stringify` to write at its own speed; what is in order already is not
 * copied. `undefined` for values that only the slow way can write.
 */
const sortedCopy = (value: Json, levels: number): Json | undefined => {
  if (value === null || typeof value !== 'object') return value
  if (levels === 0) return undefined
  return Array.isArray(value)
    ? sortedArray(value as readonly Json[], levels - 1)
    : sortedObject(value as JsonObject, levels - 1)
}

const sortedArray = (items: readonly Json[], levels: number): readonly Json[] | undefined => {
  let copy: Json[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index] ?? null
    const sorted = sortedCopy(item, levels)
    if (sorted === undefined) return undefined
    if (sorted !== item) copy ??= [...items]
    if (copy !== undefined) copy[index] = sorted
  }
  return copy ?? items
}

const sortedObject = (value: JsonObject, levels: number): JsonObject | undefined => {
  const names = Object.keys(value)
  let inOrder = true
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    if (isStubborn(name)) return undefined
    if (index > 0 && name < (names[index - 1] ?? '')) inOrder = false
  }
  if (!inOrder) sortNames(names)
  let copy: Record<string, Json> | undefined = inOrder ? undefined : {}
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    const member = value[name]
    if (member === undefined) continue
    const sorted = sortedCopy(member, levels)
    if (sorted === undefined) return undefined
    if (copy === undefined && sorted !== member) copy = firstOf(value, names, index)
    if (copy !== undefined) copy[name] = sorted
  }
  return copy ?? value
}

/** So many names are sorted faster by hand: objects in a trace have a few, and nearly in order. */
const FEW = 24

/** Sorts names by their UTF-16 code units, in place. */
const sortNames = (names: string[]): void => {
  if (names.length > FEW) {
    names.sort()
    return
  }
  for (let from = 1; from < names.length; from++) {
    const name = names[from] ?? ''
    let at = from
    for (; at > 0 && name < (names[at - 1] ?? ''); at--) names[at] = names[at - 1] ?? ''
    names[at] = name
  }
}

/** A copy of the first members only. */
const firstOf = (value: JsonObject, names: readonly string[], count: number): Record<string, Json> => {
  const copy: Record<string, Json> = {}
  for (let index = 0; index < count; index++) {
    const name = names[index] ?? ''
    const member = value[name]
    if (member !== undefined) copy[name] = member
  }
  return copy
}

/** The same form without recursion, for what nests deeply or has names that objects order by themselves. */
const canonicalDeep = (root: Json): string => {
  let out = ''
  const stack: Frame[] = []
  const write = (value: Json | undefined): void => {
    if (value === null || typeof value !== 'object') {
      out += value === undefined ? 'null' : JSON.stringify(value)
      return
    }
    const names = Array.isArray(value) ? null : Object.keys(value).toSorted()
    out += names === null ? '[' : '{'
    stack.push({ container: value, names, next: 0, first: true })
  }
  write(root)
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next >= (frame.names ?? (frame.container as readonly Json[])).length) {
      out += frame.names === null ? ']' : '}'
      stack.pop()
      continue
    }
    writeNext(frame)
  }
  return out

  function writeNext(frame: Frame): void {
    const index = frame.next++
    const name = frame.names?.[index]
    const value = name === undefined ? (frame.container as readonly Json[])[index] : memberOf(frame.container, name)
    if (name !== undefined && value === undefined) return
    if (!frame.first) out += ','
    frame.first = false
    if (name !== undefined) out += `${JSON.stringify(name)}:`
    write(value)
  }
}

const memberOf = (container: Json & object, name: string): Json | undefined =>
  (container as { readonly [member: string]: Json | undefined })[name]
