import { isUtf8 } from 'node:buffer'
import type { Buffer } from 'node:buffer'
import { describeError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'

/** A request body as JSON, or why it is none. */
export type JsonBody =
  | { readonly outcome: 'parsed'; readonly value: unknown }
  | { readonly outcome: 'refused'; readonly code: ErrorCode; readonly reason: string }

const QUOTE = 34
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Whether JSON text nests deeper than `limit`; looks at brackets outside of strings only. */
const nestsDeeperThan = (text: string, limit: number): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > limit) return true
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--
  }
  return false
}

const refuse = (code: ErrorCode, details: Readonly<Record<string, string>>): JsonBody => ({
  outcome: 'refused',
  code,
  reason: describeError(code, details),
})

/** Parses a body. The reason of a refusal never quotes the body, which may hold secrets. */
export const parseJsonBody = (body: Buffer, maxDepth: number): JsonBody => {
  if (body.length === 0) return refuse('SP_INPUT_NOT_JSON', { detail: 'it is empty' })
  if (!isUtf8(body)) return refuse('SP_INPUT_NOT_JSON', { detail: 'it is not UTF-8' })
  const text = body.toString('utf8')
  if (nestsDeeperThan(text, maxDepth)) return refuse('SP_INPUT_TOO_DEEP', { limit: String(maxDepth) })
  try {
    const value: unknown = JSON.parse(text)
    return { outcome: 'parsed', value }
  } catch {
    return refuse('SP_INPUT_NOT_JSON', { detail: `${body.length} bytes that do not parse` })
  }
}
