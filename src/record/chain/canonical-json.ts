import type { Json } from '../../protocol/json.ts'

interface Frame {
  readonly container: Json & object
  /** Sorted member names; null for an array. */
  readonly names: readonly string[] | null
  next: number
  first: boolean
}

/**
 * The RFC 8785 form of a value: member names in UTF-16 order, no white space, ECMAScript numbers. Nesting is bounded by
 * memory, not by the call stack. Where RFC 8785 asks for an error we keep the event instead, and the form stays one to one
 * with what `JSON.parse` gives back: a lone surrogate is written as its escape (`\ud800`), as `JSON.stringify` does; a
 * number that JSON has no word for (NaN, infinities) is `null`; members whose value is `undefined` are left out.
 */
export const canonicalJson = (root: Json): string => {
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
