import type { RpcCall } from '../json-rpc.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Step, StepKind, StepPayloads, StepTrace, ToolRef, AgentRef } from '../step.ts'
import type { Place } from '../places.ts'
import type { SeenCall } from '../seen-call.ts'

/** Context of a request from outside it. */
export interface ReadOptions {
  /** Part of every step. */
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly makeId: () => string
  /** The session of requests that carry none. */
  readonly session: string
  /** Whether the caller set `session`, and it was not assumed. */
  readonly isSessionGiven: boolean
  /** The MCP server of raw MCP messages, if the caller named one. */
  readonly server?: string
  /** The call under a key, where it was seen and the key is unambiguous. */
  readonly seen: (session: string, key: string) => SeenCall | undefined
}

/** The part of a step that comes from the params of a method. */
export type ReadStep = {
  [K in StepKind]: {
    readonly kind: K
    readonly payload: StepPayloads[K]
    readonly places: readonly Place[]
    /** Key by which a call and its result are matched in the session. */
    readonly key?: string
    /** What is stored under `key` when this step is allowed. */
    readonly keep?: Omit<SeenCall, 'call'>
    /** Members of the params that are in the payload; all of them by default. Others become attachments. */
    readonly members?: readonly string[]
  }
}[StepKind]

/** The caller and its context, as far as a request contains them. */
export interface RequestContext {
  readonly session?: string
  readonly turn?: string
  readonly stepId?: string
  readonly cwd?: string
  readonly user?: string
  readonly agent?: AgentRef
  /** The MCP server that a raw message goes to or comes from. */
  readonly server?: string
  readonly trace?: StepTrace
  readonly reasoning?: string
}

/** A request that is a step, and how edits of the step get back into it. */
export interface AosStep {
  readonly call: RpcCall
  readonly params: JsonObject
  readonly step: Step
  readonly places: readonly Place[]
  /** Whether AOS has a modified form of this request. */
  readonly modifiable: boolean
  /** Whether the members of `params` are next to the method. */
  readonly flat: boolean
  readonly key?: string
  readonly keep?: ReadStep['keep']
}

/** A request, valid or not. */
export type AosRead =
  | ({ readonly outcome: 'step' } & AosStep)
  | { readonly outcome: 'ping' }
  /** `detail` names the invalid place of the params and the expected type; it quotes nothing. */
  | { readonly outcome: 'faulty'; readonly detail: string }

/** The unknown tool, which is trusted least. */
export const UNKNOWN_TOOL: ToolRef = { name: 'unknown' }

/** The place of a payload member that has the content of a params member. */
export const valuePlace = (payload: string, params: string): Place => ({ as: 'value', payload, params })

/** A value as a member of a payload, left out when it is absent. */
export const optionalMember = <N extends string>(name: N, value: Json): { readonly [K in N]?: Json } =>
  (value === null ? {} : { [name]: value }) as { readonly [K in N]?: Json }
