import type { Judge } from '../core/judge.ts'
import type { ErrorCode } from '../errors.ts'
import type { Step } from '../protocol/step.ts'
import type { AppRequest } from './request.ts'

/** A request that was refused before it became a step. */
export interface Refused {
  readonly host: string
  /** The event's or method's name as far as it could be told. */
  readonly event: string | undefined
  readonly code: ErrorCode
  /** Session and sender, where the event was understood and not believed. */
  readonly about?: Readonly<Record<string, string>>
  /** Length of the body; -1 when it was not read to its end. */
  readonly bytes: number
}

/** Why an event is not believed. */
export interface Doubt {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string>>
}

/** What every route is given. */
export interface RouteDeps {
  readonly judge: Judge
  /** Whether the caller may ask: the token, or the unix socket. */
  authorized(request: AppRequest): boolean
  /** Whether events of a host are taken by TLS only. */
  needsTls(host: string): boolean
  /** Whether the prompts of a session are another agent's words. */
  isNested(session: string): boolean
  /** Why an event of a session is not believed; `undefined` when it is. */
  doubt(step: Step, request: AppRequest, byProgram: boolean): Doubt | undefined
  /** Counts a refused request and keeps an event of it that does not hold its input. Never rejects. */
  note(refused: Refused): Promise<void>
  readonly now: () => number
  readonly makeId: () => string
  readonly maxBodyBytes: number
  readonly maxDepth: number
  /** A fault that nobody outside should see the details of. */
  readonly fault: (error: unknown) => void
}
