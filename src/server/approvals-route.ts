import { describeError, SallyportError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { isObject } from '../protocol/json.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Answer, Answering } from '../record/approvals/answering.ts'
import { APPROVAL_STATES, standingAt } from '../record/approvals/approval.ts'
import type { ApprovalQuery, ApprovalStore } from '../record/approvals/store.ts'
import { parseJsonBody } from './json-body.ts'
import { json } from './request.ts'
import type { AppRequest, AppResponse } from './request.ts'
import type { RouteDeps } from './route.ts'

/** Approvals as the server serves them. */
export interface ServedApprovals {
  readonly store: Pick<ApprovalStore, 'get' | 'list' | 'count'>
  readonly answering: Answering
  /** Whether the caller holds the approvers' token: hosts hold another, and agents live in hosts. */
  readonly authorized: (authorization: string | undefined) => boolean
}

/** Where approvals are. */
export const APPROVALS = '/v1/approvals'

/** Stands for the host of a request that is none of any host's. */
const NO_HOST = 'approvals'
/** Approvals of one list, where no other number is asked for. */
const LISTED = 200

const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  SP_APPROVAL_UNKNOWN: 404,
  SP_APPROVAL_SETTLED: 409,
  SP_APPROVAL_INPUT: 422,
}

const failure = (status: number, code: ErrorCode, message: string): AppResponse =>
  json(status, { error: { code, message } })

const bad = (detail: string): SallyportError => new SallyportError('SP_APPROVAL_INPUT', { detail })

const KNOWN = ['answer', 'by', 'reason', 'forMinutes', 'input']

const readTexts = (body: JsonObject): { readonly by: string; readonly reason: string } => {
  const { by, reason = '' } = body
  if (typeof by !== 'string') throw bad('`by` must name the person')
  if (typeof reason !== 'string') throw bad('`reason` must be text')
  return { by, reason }
}

/** @throws SallyportError SP_APPROVAL_INPUT */
const readAnswer = (body: unknown): Answer => {
  if (!isObject(body)) throw bad('it must be a JSON object')
  const given = body as JsonObject
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key))
  if (unknown !== undefined) throw bad(`it may hold ${KNOWN.join(', ')} and nothing else`)
  const { answer, forMinutes, input } = given
  const texts = readTexts(given)
  if (answer !== 'approve' && answer !== 'deny' && answer !== 'revoke')
    throw bad('`answer` must be "approve", "deny" or "revoke"')
  if (forMinutes !== undefined && typeof forMinutes !== 'number') throw bad('`forMinutes` must be a number')
  if (input !== undefined && !isObject(input)) throw bad('`input` must be an object: all the arguments')
  if (answer !== 'approve') {
    if (forMinutes !== undefined || input !== undefined) throw bad('only `approve` takes a time or arguments')
    return { answer, ...texts }
  }
  return {
    answer,
    ...texts,
    ...(forMinutes === undefined ? {} : { forMinutes }),
    ...(input === undefined ? {} : { input }),
  }
}

/** Which are asked for. What is over counts as neither pending nor granted. @throws SallyportError SP_APPROVAL_INPUT */
const readQuery = (query: URLSearchParams, now: number): ApprovalQuery & { readonly limit: number } => {
  const [state, session, limit] = [query.get('state'), query.get('session'), query.get('limit') ?? String(LISTED)]
  const meant = APPROVAL_STATES.find((one) => one === state)
  if (state !== null && meant === undefined) throw bad(`\`state\` is one of ${APPROVAL_STATES.join(', ')}`)
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw bad('`limit` is a number from 1 to 9999')
  return {
    limit: Number(limit),
    ...(meant === undefined ? {} : { states: [meant] }),
    ...(meant === 'pending' || meant === 'granted' ? { openAt: now } : {}),
    ...(session === null ? {} : { session }),
  }
}

/** `GET /v1/approvals`, `GET /v1/approvals/ID`, `POST /v1/approvals/ID`. */
export const createApprovalsRoute = (
  { store, answering, authorized }: ServedApprovals,
  { note, now, maxDepth, maxBodyBytes, fault }: Pick<RouteDeps, 'note' | 'now' | 'maxDepth' | 'maxBodyBytes' | 'fault'>,
): ((request: AppRequest, query: URLSearchParams, id: string | undefined) => Promise<AppResponse>) => {
  const list = (query: URLSearchParams): AppResponse => {
    const { limit, ...wanted } = readQuery(query, now())
    const approvals = store.list({ ...wanted, limit }).map((one) => standingAt(one, now()))
    return json(200, { approvals, total: store.count(wanted) })
  }

  const show = (id: string): AppResponse => {
    const approval = store.get(id)
    if (approval === undefined) throw new SallyportError('SP_APPROVAL_UNKNOWN', { id })
    return json(200, { approval: standingAt(approval, now()) })
  }

  const answer = async (request: AppRequest, id: string): Promise<AppResponse> => {
    if (request.body === undefined)
      return failure(413, 'SP_INPUT_TOO_LARGE', describeError('SP_INPUT_TOO_LARGE', { limit: String(maxBodyBytes) }))
    const parsed = parseJsonBody(request.body, maxDepth)
    if (parsed.outcome === 'refused') return failure(400, parsed.code, parsed.reason)
    return json(200, { approval: await answering.answer(id, readAnswer(parsed.value)) })
  }

  const route = (request: AppRequest, query: URLSearchParams, id: string | undefined): Promise<AppResponse> => {
    if (request.method !== 'POST') return Promise.resolve(id === undefined ? list(query) : show(id))
    if (id === undefined) throw bad('a POST goes to the address of one approval')
    return answer(request, id)
  }

  return async (request, query, id) => {
    const bytes = request.body?.length ?? -1
    // The unix socket stands for the hosts' token, not for this one.
    if (!authorized(request.authorization)) {
      await note({ host: NO_HOST, event: undefined, code: 'SP_APPROVER', bytes })
      return failure(401, 'SP_APPROVER', describeError('SP_APPROVER'))
    }
    try {
      return await route(request, query, id)
    } catch (error) {
      if (error instanceof SallyportError && STATUS[error.code] !== undefined)
        return failure(STATUS[error.code] ?? 400, error.code, error.message)
      fault(error)
      return failure(503, 'SP_APPROVAL_STORE', describeError('SP_APPROVAL_STORE'))
    }
  }
}
