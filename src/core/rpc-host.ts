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

/** What came of asking the guard. `lost`: nobody may act on it, for it could not be kept. */
export type Judged =
  | { readonly outcome: 'kept'; readonly decided: Outcome }
  | { readonly outcome: 'lost'; readonly reason: string }

/** Keeps the decision in the trace, with what the host's protocol wants to stand beside it. Rejects when it is not kept. */
export type Keep = (beside?: JsonObject) => Promise<void>

/**
 * Decides on a step and keeps the decision. Never rejects.
 * @param keeping runs `keep` in its own order, where the host's protocol chains what is kept; default: at once
 */
export type Judge = (step: Step, power: HostPower, keeping?: (keep: Keep) => Promise<void>) => Promise<Judged>

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
