import type { Judge } from '../core/judge.ts'
import type { ErrorCode } from '../errors.ts'
import type { AppRequest } from './request.ts'

/** A request that was refused before it became a step. */
export interface Refused {
  readonly host: string
  /** The event's or method's name as far as it could be told. */
  readonly event: string | undefined
  readonly code: ErrorCode
  /** Length of the body; -1 when it was not read to its end. */
  readonly bytes: number
}

/** A host's event as it came in, its body not yet parsed. */
export interface RawEvent {
  readonly host: string
  /** Path with query, as on the request line. */
  readonly url: string
  readonly traceparent?: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** The answer to it. */
export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** No answer was had, and why. */
export interface Unanswered {
  readonly code: ErrorCode
  readonly reason: string
}

/** What every route is given. */
export interface RouteDeps {
  readonly judge: Judge
  /** Answers large events off the event loop; without it all are answered on it. */
  readonly elsewhere?: (event: RawEvent, gone?: () => boolean) => Promise<RawAnswer | Unanswered>
  /** Whether the caller may ask: the token, or the unix socket. */
  authorized(request: AppRequest): boolean
  /** Counts a refused request and keeps an event of it that does not hold its input. Never rejects. */
  note(refused: Refused): Promise<void>
  readonly now: () => number
  readonly makeId: () => string
  readonly maxBodyBytes: number
  readonly maxDepth: number
  /** A fault that nobody outside should see the details of. */
  readonly fault: (error: unknown) => void
}
