import type { RpcCall } from '../json-rpc.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Step, StepKind, StepPayloads, StepTrace, ToolRef, AgentRef } from '../step.ts'
import type { Place } from '../places.ts'
import type { SeenCall } from '../seen-call.ts'

/** What is known beside the request itself. */
export interface ReadOptions {
  /** Stands in every step. */
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly makeId: () => string
  /** The session of requests that carry none. */
  readonly session: string
  /** Whether `session` was given by the caller, and not assumed. */
  readonly isSessionGiven: boolean
  /** The MCP server of raw MCP messages, if the caller named one. */
  readonly server?: string
  /** The call under a key, where it was seen and nothing else goes by that key. */
  readonly seen: (session: string, key: string) => SeenCall | undefined
}

/** The part of a step that comes from the params of a method. */
export type ReadStep = {
  [K in StepKind]: {
    readonly kind: K
    readonly payload: StepPayloads[K]
    readonly places: readonly Place[]
    /** Under which a call and its result find each other in the session. */
    readonly key?: string
    /** What becomes of `key` when this step is let through. */
    readonly keep?: Omit<SeenCall, 'call'>
    /** Members of the params that are in the payload; all of them where it is not set. What stands beside is attached. */
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
  /** Whether AOS knows a modified form of this request. */
  readonly modifiable: boolean
  /** Whether the members of `params` stand beside the method. */
  readonly flat: boolean
  readonly key?: string
  readonly keep?: ReadStep['keep']
}

/** A request, understood or not. */
export type AosRead =
  | ({ readonly outcome: 'step' } & AosStep)
  | { readonly outcome: 'ping' }
  /** `detail` says which place of the params should be what; it quotes nothing. */
  | { readonly outcome: 'faulty'; readonly detail: string }

/** A tool nobody knows: what comes from it is trusted least. */
export const UNKNOWN_TOOL: ToolRef = { name: 'unknown' }

/** A payload's member that is the params' member of the same content. */
export const valuePlace = (payload: string, params: string): Place => ({ as: 'value', payload, params })

/** A value as a payload's member, left out when it is not there. */
export const told = <N extends string>(name: N, value: Json): { readonly [K in N]?: Json } =>
  (value === null ? {} : { [name]: value }) as { readonly [K in N]?: Json }
