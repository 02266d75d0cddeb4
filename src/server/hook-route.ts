import type { Buffer } from 'node:buffer'
import type { Arrival, Host } from '../core/host.ts'
import { describeError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { traced } from '../protocol/trace-context.ts'
import { parseJsonBody } from './json-body.ts'
import { json } from './request.ts'
import type { AppRequest, AppResponse } from './request.ts'
import type { RouteDeps } from './route.ts'

/** A refusal in the making: its code and what the person is told. */
interface Refusal {
  readonly code: ErrorCode
  readonly reason: string
  /** In the host's own form, where it has one ready. */
  readonly reply?: unknown
}

const refusal = (code: ErrorCode, details: Readonly<Record<string, string>> = {}): Refusal => ({
  code,
  reason: describeError(code, details),
})

/** Bytes of a body that take some milliseconds to be parsed and looked at. */
const LARGE_BODY = 16_384

/** The bytes of a body in memory of their own, which can be handed to another thread. */
const ownBytes = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array<ArrayBuffer> =>
  buffer instanceof ArrayBuffer && byteLength === buffer.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength))

/** Answers one host's events, each a request of its own in the host's own form. Never rejects. */
export const createHookRoute = (
  host: Host,
  deps: RouteDeps,
): ((request: AppRequest, query: URLSearchParams) => Promise<AppResponse>) => {
  /** Bad input: the host's own refusal, a count, and an event in the trace that does not hold the input. */
  const reject = async (
    event: string | undefined,
    { code, reason, reply }: Refusal,
    bytes: number,
    status = 200,
  ): Promise<AppResponse> => {
    await deps.note({ host: host.id, event, code, bytes })
    const own = reply ?? host.refuse(event, reason)
    return json(status, status === 200 ? own : { error: { code, message: reason }, ...(own as object) })
  }

  const answer = async (request: AppRequest, event: string | undefined): Promise<AppResponse> => {
    if (!deps.authorized(request)) return reject(event, refusal('SP_UNAUTHORIZED'), request.body?.length ?? -1, 401)
    if (request.body === undefined)
      return reject(event, refusal('SP_INPUT_TOO_LARGE', { limit: String(deps.maxBodyBytes) }), -1)
    if (deps.elsewhere !== undefined && request.body.length > LARGE_BODY) {
      const { url, traceparent, gone } = request
      const raw = {
        host: host.id,
        url,
        body: ownBytes(request.body),
        ...(traceparent === undefined ? {} : { traceparent }),
      }
      const bytes = request.body.length
      const answered = await deps.elsewhere(raw, gone)
      return 'code' in answered ? reject(event, answered, bytes) : { ...answered, body: '' }
    }
    const parsed = parseJsonBody(request.body, deps.maxDepth)
    if (parsed.outcome === 'refused') return reject(event, parsed, request.body.length)
    const arrival: Arrival = { at: deps.now(), makeId: deps.makeId, ...(event === undefined ? {} : { event }) }
    const decoded = host.decode(parsed.value, arrival)
    if (decoded.outcome === 'rejected') return reject(event, decoded, request.body.length)
    const judged = await deps.judge(traced(decoded.step, request.traceparent), decoded.power)
    return json(
      200,
      judged.outcome === 'lost' ? host.refuse(decoded.step.event, judged.reason) : decoded.encode(judged.decided),
    )
  }

  return async (request, query) => {
    const event = query.get('event') ?? undefined
    try {
      return await answer(request, event)
    } catch (error) {
      // A fault of ours ends like any other missing verdict: in the host's own refusal.
      deps.fault(error)
      return json(200, host.refuse(event, describeError('SP_GUARD_FAILED', { detail: 'its log has the details' })))
    }
  }
}
