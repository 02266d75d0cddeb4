import { isObject } from '../protocol/json.ts'
import type { FailureKind } from '../protocol/verdict.ts'
import type { ClientAnswer } from './exchange.ts'

/** Why there is no JSON. */
export interface FailedAnswer {
  readonly outcome: 'failed'
  readonly why: FailureKind
  readonly cause: string
}

const failed = (why: FailureKind, cause: string): FailedAnswer => ({ outcome: 'failed', why, cause })

/** Parses JSON text; `undefined` if it is invalid. */
export const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

/** A service's error message, shortened; it is about the request, not its content. */
const messageIn = (body: string): string => {
  const value = parsed(body)
  const error = isObject(value) ? value['error'] : undefined
  const message = isObject(error) ? error['message'] : error
  return typeof message === 'string' ? `: ${message.replaceAll(/[^ -~]/g, '?').slice(0, 100)}` : ''
}

/** The JSON of a service's answer with status 200, or why there is none. */
export const jsonOf = (answer: ClientAnswer): { readonly json: unknown } | FailedAnswer => {
  if (answer.outcome === 'failed') return failed(answer.why, answer.cause)
  const { status, body } = answer
  if (status >= 300 && status < 400)
    return failed('invalid', `it answered with a redirect (${status}), which is not followed`)
  if (status === 401 || status === 403) return failed('invalid', `it refused the key (status ${status})`)
  if (status === 429 || status >= 500) return failed('unreachable', `it answered with status ${status}`)
  if (status !== 200) return failed('invalid', `it answered with status ${status}${messageIn(body)}`)
  const json = parsed(body)
  return json === undefined ? failed('invalid', 'its answer is not JSON') : { json }
}
