import type { Json, JsonObject } from './json.ts'
import { isArray, isObject } from './json.ts'

/** Writes one reference token of a JSON pointer (RFC 6901, section 3). */
export const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1')

/** The reference tokens of a JSON pointer; `undefined` when the text is no pointer. */
const parsePointer = (pointer: string): readonly string[] | undefined => {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** An array index as RFC 6901 section 4 writes it; `undefined` for anything else. */
const arrayIndex = (token: string, length: number): number | undefined => {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(token)) return undefined
  const index = Number(token)
  return index < length ? index : undefined
}

const child = (value: Json, token: string): Json | undefined => {
  if (isArray(value)) {
    const index = arrayIndex(token, value.length)
    return index === undefined ? undefined : value[index]
  }
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

/** The value at a pointer; `undefined` when there is none. */
export const valueAt = (root: Json, pointer: string): Json | undefined => {
  const tokens = parsePointer(pointer)
  if (tokens === undefined) return undefined
  let value: Json | undefined = root
  for (const token of tokens) {
    if (value === undefined) return undefined
    value = child(value, token)
  }
  return value
}

/** A copy of `root` with the value at an existing place replaced; `undefined` when the place does not exist. */
export const withValueAt = (root: Json, pointer: string, value: Json): Json | undefined => {
  const tokens = parsePointer(pointer)
  if (tokens === undefined) return undefined
  const parents: Json[] = []
  let at: Json = root
  for (const token of tokens) {
    const next = child(at, token)
    if (next === undefined) return undefined
    parents.push(at)
    at = next
  }
  let copy: Json = value
  for (let depth = tokens.length - 1; depth >= 0; depth--) {
    const parent = parents[depth]
    const token = tokens[depth]
    if (parent === undefined || token === undefined) return undefined
    copy = isArray(parent)
      ? parent.with(Number(token), copy)
      : Object.defineProperty({ ...(parent as JsonObject) }, token, {
          value: copy,
          enumerable: true,
          configurable: true,
          writable: true,
        })
  }
  return copy
}

/** Whether one of two places contains the other, or both are the same. */
export const pointersOverlap = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
