import { randomUUID } from 'node:crypto'
import { applyEdits } from '../core/edits.ts'
import { readAosResult } from '../protocol/aos/read-result.ts'
import type { AosAnswer } from '../protocol/aos/read-result.ts'
import { aosRequestOf } from '../protocol/aos/write-request.ts'
import type { AosSelf } from '../protocol/aos/write-request.ts'
import type { Json } from '../protocol/json.ts'
import type { AgentRef, Step, StepKind, StepPayloads, StepTrace } from '../protocol/step.ts'
import { traceparentOf } from '../protocol/trace-context.ts'
import type { PolicyRef } from '../protocol/verdict.ts'
import { createPeer } from './peer.ts'
import type { PeerAddress, PeerTls } from './peer.ts'
import { createRpcClient } from './rpc-client.ts'

/** Where a guard is, and who asks it. */
export interface ClientOptions {
  /** Address of the guard, without a path: `http://127.0.0.1:4775`. Either this or `socket`. */
  readonly url?: string
  /** Path of the guard's unix socket, whose file rights stand for the token. */
  readonly socket?: string
  /** Bearer token of the guard. */
  readonly token?: string
  readonly tls?: PeerTls
  /** Milliseconds to wait for a verdict; default 10,000. */
  readonly deadlineMs?: number
  /** The agent that the steps are of, as a guard elsewhere is told of it. */
  readonly agent?: AosSelf
}

/** One thing an agent is about to do or has just got. */
export interface ClientStep<K extends StepKind = StepKind> {
  readonly kind: K
  readonly payload: StepPayloads[K]
  /** Steps with the same session are judged in each other's light. */
  readonly session: string
  readonly turn?: string
  /** Working directory of the agent, absolute: what lies in it is the workspace. */
  readonly cwd?: string
  /** Default: the session's main agent. */
  readonly agent?: AgentRef
  /** Default: a new UUID. */
  readonly id?: string
  /** The place of the step in a distributed trace. */
  readonly trace?: StepTrace
}

/** What the guard says. `payload` is what to go on with: the step's own, or as the guard changed it. */
export type ClientVerdict<K extends StepKind = StepKind> = {
  readonly reason: string
  readonly reasonCodes: readonly string[]
  readonly policies: readonly PolicyRef[]
} & (
  | { readonly decision: 'allow' | 'modify'; readonly payload: StepPayloads[K] }
  | {
      readonly decision: 'deny'
      /** Set when no verdict could be had, which denies too. */
      readonly failed?: 'timeout' | 'unreachable' | 'invalid'
    }
)

/** Asks a guard. */
export interface Client {
  /** Never rejects: a step on which no verdict can be had is denied. */
  decide<K extends StepKind>(step: ClientStep<K>, signal?: AbortSignal): Promise<ClientVerdict<K>>
  /** Lets go of the connections. */
  close(): void
}

const PATH = '/v1/hooks/aos'
const DEADLINE_MS = 10_000
const HOST = 'client'

const addressOf = ({ url, socket }: ClientOptions): PeerAddress => {
  if (socket !== undefined) return { kind: 'socket', socket, path: PATH }
  if (url === undefined) throw new TypeError('A client needs the `url` or the `socket` of a guard.')
  return { kind: 'url', url: new URL(PATH, url).href }
}

const stepOf = <K extends StepKind>(given: ClientStep<K>, id: string): Step => {
  const { kind, payload, session, turn, cwd, agent = { id: 'main', role: 'main' }, trace } = given
  return {
    kind,
    payload,
    id,
    host: HOST,
    event: kind,
    at: Date.now(),
    agent,
    session: {
      id: session,
      ...(turn === undefined ? {} : { turn }),
      ...(cwd === undefined ? {} : { cwd, project: cwd }),
    },
    ...(trace === undefined ? {} : { trace }),
  } as Step
}

const denied = (failed: 'timeout' | 'unreachable' | 'invalid', reason: string) =>
  ({ decision: 'deny', reason, reasonCodes: [`guard-${failed}`], policies: [], failed }) as const

const verdictOf = <K extends StepKind>(answer: AosAnswer, step: Step): ClientVerdict<K> => {
  if (answer.outcome === 'invalid') return denied('invalid', `The guard's answer is none: ${answer.why}.`)
  const { decision, reason, reasonCodes, policies, edits } = answer
  const said = { reason, reasonCodes, policies }
  if (decision === 'deny') return { ...said, decision }
  const applied = applyEdits(step.payload as unknown as Json, edits)
  return applied.outcome === 'applied'
    ? { ...said, decision, payload: applied.payload as unknown as StepPayloads[K] }
    : denied('invalid', `The guard's change does not fit the step: ${applied.why}.`)
}

/**
 * Makes a client of one guard; Sallyport's, or any that speaks AOS 0.1.0 at `/v1/hooks/aos`. Imports no package.
 * @throws TypeError when neither `url` nor `socket` tells where the guard is
 */
export const createClient = (options: ClientOptions): Client => {
  const { token, tls, deadlineMs = DEADLINE_MS, agent } = options
  const peer = createPeer({
    address: addressOf(options),
    ...(token === undefined ? {} : { token }),
    ...(tls === undefined ? {} : { tls }),
  })
  // A caller that wants more than one attempt knows better when; here each question is put once.
  const client = createRpcClient(peer, (attempt, signal) => attempt(signal))
  const ask = async <K extends StepKind>(given: ClientStep<K>, signal?: AbortSignal): Promise<ClientVerdict<K>> => {
    const step = stepOf(given, given.id ?? randomUUID())
    const request = aosRequestOf(step, randomUUID(), agent)
    if (request === undefined) return denied('invalid', `AOS has no method for a ${given.kind}.`)
    const late = AbortSignal.timeout(deadlineMs)
    const outcome = await client.call(() => request, signal === undefined ? late : AbortSignal.any([late, signal]), {
      traceparent: traceparentOf(step),
    })
    switch (outcome.outcome) {
      case 'result':
        return verdictOf(readAosResult(outcome.result, request, step), step)
      case 'error':
        return denied('invalid', `The guard answered with error ${outcome.code}: ${outcome.message}.`)
      case 'failed':
        return denied(outcome.why, `The guard gave no verdict: ${outcome.cause}.`)
      default:
        return outcome satisfies never
    }
  }

  return Object.freeze<Client>({
    async decide<K extends StepKind>(given: ClientStep<K>, signal?: AbortSignal): Promise<ClientVerdict<K>> {
      try {
        return await ask(given, signal)
      } catch (error) {
        // Such as a payload that is no JSON.
        const what = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be sent'
        return denied('invalid', `The step could not be put to the guard: ${what}.`)
      }
    },
    close: () => {
      peer.close()
    },
  })
}
