import { createHmac, timingSafeEqual } from 'node:crypto'
import { Buffer } from 'node:buffer'
import type { Guard, Outcome } from '../core/guard.ts'
import type { Arrival, Host } from '../core/host.ts'
import { describeError, SallyportError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import type { Rejection } from '../record/trace/recorder.ts'
import { parseJsonBody } from './json-body.ts'
import type { Metrics } from './metrics.ts'
import { createRateLimit } from './rate-limit.ts'

/** One HTTP request, read to its end. */
export interface AppRequest {
  readonly method: string
  /** Path with query, as on the request line. */
  readonly url: string
  readonly authorization?: string
  /** True for callers that came over the unix socket: its file rights stand for the token. */
  readonly trusted: boolean
  /** `undefined` when the body was larger than the limit; it was read and thrown away. */
  readonly body: Buffer | undefined
}

export interface AppResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Keeps what was answered; a promise resolves once it is durable and rejects when it is not kept. */
export interface AppRecorder {
  recordDecision(outcome: Outcome): Promise<unknown>
  recordRejection(rejection: Rejection): Promise<unknown>
}

/** What the server is made of. */
export interface AppDeps {
  /** The guard in force; another one after a reload. */
  readonly guard: () => Guard
  readonly hosts: ReadonlyMap<string, Host>
  readonly recorder: AppRecorder
  readonly metrics: Metrics
  readonly token: string
  readonly now: () => number
  readonly makeId: () => string
  readonly maxBodyBytes: number
  readonly maxDepth: number
  /** A fault that nobody outside should see the details of. */
  readonly fault: (error: unknown) => void
}

/** Answers requests; knows nothing of sockets. */
export type App = (request: AppRequest) => Promise<AppResponse>

const JSON_TYPE = 'application/json; charset=utf-8'
const HOOKS = '/v1/hooks/'
/** Stands for the host of a request to a place where no host's events go. */
const NO_HOST = 'none'
/** Refused requests that are kept in the trace in a minute; all are counted. */
const RECORDED_REJECTIONS = 600
const CHALLENGE = /^[\w-]{16,128}$/

const json = (status: number, value: unknown): AppResponse => ({
  status,
  contentType: JSON_TYPE,
  body: JSON.stringify(value),
})

const failure = (status: number, code: ErrorCode, message: string): AppResponse =>
  json(status, { error: { code, message } })

/** Makes the server's one function. Never rejects. */
export const createApp = (deps: AppDeps): App => {
  const { metrics, recorder, token, now, makeId } = deps
  const authorized = tokenCheck(token)

  const health = (query: URLSearchParams): AppResponse => {
    const challenge = query.get('challenge')
    return json(200, {
      status: 'ok',
      ...(challenge !== null && CHALLENGE.test(challenge)
        ? { proof: createHmac('sha256', token).update(challenge).digest('hex') }
        : {}),
    })
  }

  const mayRecord = createRateLimit(RECORDED_REJECTIONS, now)

  /** Counts a refused request and keeps an event of it that does not hold its input. */
  const note = async (host: string, event: string | undefined, code: ErrorCode, bytes: number): Promise<void> => {
    metrics.rejected(host, code)
    if (!mayRecord()) return
    await recorder
      .recordRejection({ at: now(), host, code, bytes, ...(event === undefined ? {} : { event }) })
      .catch(deps.fault)
  }

  /** Bad input: the host's own refusal, a count, and an event in the trace that does not hold the input. */
  const reject = async (
    host: Host,
    event: string | undefined,
    rejection: { readonly code: ErrorCode; readonly reason: string; readonly reply?: unknown },
    bytes: number,
    status = 200,
  ): Promise<AppResponse> => {
    const { code, reason } = rejection
    await note(host.id, event, code, bytes)
    const reply = rejection.reply ?? host.refuse(event, reason)
    return json(status, status === 200 ? reply : { error: { code, message: reason }, ...(reply as object) })
  }

  /** No answer leaves before its record is kept (DESIGN 7); gives the reason when it could not be. */
  const kept = async (outcome: Outcome): Promise<string | undefined> => {
    try {
      await recorder.recordDecision(outcome)
      return undefined
    } catch (error) {
      deps.fault(error)
      return error instanceof SallyportError
        ? error.message
        : describeError('SP_GUARD_FAILED', { detail: 'its log has the details' })
    }
  }

  const hook = async (host: Host, request: AppRequest, query: URLSearchParams): Promise<AppResponse> => {
    const event = query.get('event') ?? undefined
    const refusal = (code: ErrorCode, details: Readonly<Record<string, string>> = {}) => ({
      code,
      reason: describeError(code, details),
    })
    if (!request.trusted && !authorized(request.authorization))
      return reject(host, event, refusal('SP_UNAUTHORIZED'), request.body?.length ?? -1, 401)
    if (request.body === undefined)
      return reject(host, event, refusal('SP_INPUT_TOO_LARGE', { limit: String(deps.maxBodyBytes) }), -1)
    const parsed = parseJsonBody(request.body, deps.maxDepth)
    if (parsed.outcome === 'refused') return reject(host, event, parsed, request.body.length)
    const arrival: Arrival = { at: now(), makeId, ...(event === undefined ? {} : { event }) }
    const decoded = host.decode(parsed.value, arrival)
    if (decoded.outcome === 'rejected') return reject(host, event, decoded, request.body.length)
    const outcome = await deps.guard().decide(decoded.step, decoded.power)
    metrics.decided(outcome)
    const lost = await kept(outcome)
    if (lost !== undefined) return json(200, host.refuse(decoded.step.event, lost))
    return json(200, decoded.encode(outcome))
  }

  /** A fault of ours ends like any other missing verdict: in the host's own refusal. */
  const guarded = async (host: Host, request: AppRequest, query: URLSearchParams): Promise<AppResponse> => {
    try {
      return await hook(host, request, query)
    } catch (error) {
      deps.fault(error)
      const reason = describeError('SP_GUARD_FAILED', { detail: 'its log has the details' })
      return json(200, host.refuse(query.get('event') ?? undefined, reason))
    }
  }

  const route = async (request: AppRequest): Promise<AppResponse> => {
    const [path = '', search = ''] = request.url.split('?', 2)
    const query = new URLSearchParams(search)
    const only = (method: string): AppResponse | undefined =>
      request.method === method || (method === 'GET' && request.method === 'HEAD')
        ? undefined
        : failure(405, 'SP_METHOD', describeError('SP_METHOD', { path, method: request.method, allowed: method }))
    if (path === '/healthz') return only('GET') ?? health(query)
    if (path === '/metrics')
      return only('GET') ?? { status: 200, contentType: metrics.contentType, body: await metrics.expose() }
    const host = path.startsWith(HOOKS) ? deps.hosts.get(path.slice(HOOKS.length)) : undefined
    if (host !== undefined) return only('POST') ?? guarded(host, request, query)
    if (request.method === 'POST') await note(NO_HOST, undefined, 'SP_NOT_FOUND', request.body?.length ?? -1)
    return failure(404, 'SP_NOT_FOUND', describeError('SP_NOT_FOUND', { path: path.slice(0, 200) }))
  }

  return async (request) => {
    try {
      return await route(request)
    } catch (error) {
      deps.fault(error)
      return failure(500, 'SP_GUARD_FAILED', describeError('SP_GUARD_FAILED', { detail: 'its log has the details' }))
    }
  }
}

/** Compares in a time that does not tell how much of the token was right. */
const tokenCheck = (token: string): ((authorization: string | undefined) => boolean) => {
  const expected = Buffer.from(`Bearer ${token}`)
  return (authorization) => {
    const given = Buffer.from(authorization ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
