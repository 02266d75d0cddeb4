import type { ErrorCode } from '../errors/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { RpcCall, RpcError } from '../protocol/json-rpc.ts'
import type { Arrival } from './host.ts'
import type { Judge } from './judge.ts'

/** What came with a JSON-RPC call beside its body. */
export interface RpcArrival extends Arrival {
  /** Query of the address the call was sent to: the caller's dialect and the like. */
  readonly query: ReadonlyMap<string, string>
  /** W3C `traceparent` header, unchecked. */
  readonly traceparent?: string
  /** Whether the caller has gone. */
  readonly gone?: () => boolean
}

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
