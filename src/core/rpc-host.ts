import type { ErrorCode } from '../errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { RpcCall, RpcError } from '../protocol/json-rpc.ts'
import type { Step } from '../protocol/step.ts'
import type { Outcome } from './guard.ts'
import type { Arrival } from './host.ts'
import type { HostPower } from './host-power.ts'

/** What came with a JSON-RPC call beside its body. */
export interface RpcArrival extends Arrival {
  /** Query of the address the call was sent to: the caller's dialect and the like. */
  readonly query: ReadonlyMap<string, string>
  /** W3C `traceparent` header, unchecked. */
  readonly traceparent?: string
}

/** A decision that stands in the trace. */
export interface Kept {
  readonly outcome: Outcome
  /** Hash of its event in the session's chain, 64 hex digits. */
  readonly hash: string
}

/** What came of asking the guard. `lost`: nobody may act on it, for it could not be kept. */
export type Judged =
  | ({ readonly outcome: 'kept' } & { readonly kept: Kept })
  | { readonly outcome: 'lost'; readonly reason: string }

/** Decides on a step and keeps the decision. Never rejects. */
export type Judge = (step: Step, power: HostPower) => Promise<Judged>

/** How a call is answered; `rejected` holds the code under which bad input is counted and recorded. */
export type RpcAnswer =
  | { readonly outcome: 'result'; readonly result: JsonObject }
  | { readonly outcome: 'rejected'; readonly code: ErrorCode; readonly error: RpcError }

/** A host that asks by JSON-RPC. It understands and answers; deciding is the judge's. */
export interface RpcHost {
  readonly id: string
  /** Whether a call is in this host's protocol. */
  speaks(call: RpcCall): boolean
  answer(call: RpcCall, arrival: RpcArrival, judge: Judge): Promise<RpcAnswer>
}
