import type { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { proveGuard } from '../../client/guard-proof.ts'
import type { Proof } from '../../client/guard-proof.ts'
import { createHookClient } from '../../client/hook-client.ts'
import type { ClientAnswer, HookClient } from '../../client/hook-client.ts'
import type { Started } from '../../client/start-guard.ts'
import { describeError } from '../../errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { reasonText } from '../reason-text.ts'
import { eventRow } from './events.ts'
import { isJsonObject } from '../../protocol/fields.ts'
import { refuseClaudeCode } from './refuse.ts'

/** One run of a command hook. */
export interface HookRun {
  /** The event's name as the host was configured to say it; without it the body's own name counts. */
  readonly event: string | undefined
  readonly socket: string
  /** Port that the host's HTTP hooks go to; checked at SessionStart. */
  readonly port: number | undefined
  /** Seconds the host gives this hook. */
  readonly timeout: number | undefined
  /** Only looks whether the guard stands where the host's HTTP hooks go, and refuses the event when it does not. */
  readonly gate: boolean
  /** Reads the event to its end. */
  readonly stdin: () => Promise<Buffer>
  /** The guard's bearer token; `undefined` when it cannot be read. */
  readonly token: () => string | undefined
  /** Brings the guard up. */
  readonly start: (signal: AbortSignal) => Promise<Started>
}

/** Seconds kept back of the host's patience, for our own start and for saying no. */
const RESERVE_S = 1.5
const PROOF_PATIENCE_MS = 3_000
const UNKNOWN_TIMEOUT_S = 30

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The event's name, for bodies that came without one on the command line. */
const eventOf = (body: Buffer): string | undefined => {
  const value = parsed(body.toString('utf8'))
  const name = isJsonObject(value) ? value['hook_event_name'] : undefined
  return typeof name === 'string' ? name : undefined
}

const unreachable = (event: string | undefined, detail: string): JsonObject =>
  refuseClaudeCode(event, describeError('SP_GUARD_UNREACHABLE', { detail }))

const readAnswer = (event: string | undefined, answer: ClientAnswer): JsonObject => {
  if (answer.outcome === 'failed') return unreachable(event, answer.cause)
  const reply = answer.status === 200 ? parsed(answer.body) : undefined
  return isJsonObject(reply) ? reply : unreachable(event, `it answered ${answer.status} and no verdict`)
}

/** Asks the guard; brings it up and asks again when nobody was there. */
const ask = async (run: HookRun, client: HookClient, body: Buffer, signal: AbortSignal): Promise<ClientAnswer> => {
  const query = run.event === undefined ? '' : `?event=${encodeURIComponent(run.event)}`
  const path = `/v1/hooks/claude-code${query}`
  const first = await client.post(path, body, signal)
  if (first.outcome === 'answered' || first.why !== 'unreachable') return first
  const started = await run.start(signal)
  if (started.outcome === 'down') return { outcome: 'failed', why: 'unreachable', cause: started.cause }
  return client.post(path, body, signal)
}

/** The guard opens its port a moment after its socket, so one that is absent is asked again for a while. */
const provePort = async (port: number, token: string, signal: AbortSignal): Promise<Proof> => {
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const proof = await proveGuard(url, token, signal)
    if (proof.outcome !== 'absent' || signal.aborted) return proof
    await sleep(50)
  }
}

/** Why the host's HTTP hooks do not reach this guard; `undefined` when they do. */
const portTrouble = async (run: HookRun): Promise<string | undefined> => {
  if (run.port === undefined) return undefined
  const token = run.token()
  if (token === undefined)
    return 'The token of the guard cannot be read. Run `sallyport doctor claude-code` in a terminal.'
  const proof = await provePort(run.port, token, AbortSignal.timeout(PROOF_PATIENCE_MS))
  if (proof.outcome === 'proved') return undefined
  return proof.outcome === 'absent'
    ? `Nothing answers on port ${run.port}, where this client's hooks go: every step will be refused. ` +
        'Run `sallyport doctor claude-code` in a terminal.'
    : `Port ${run.port}, where this client's hooks go, belongs to a stranger and not to this guard. ` +
        'End this session: its steps are NOT guarded. Then run `sallyport doctor claude-code` in a terminal.'
}

/** SessionStart cannot be refused; the person and the model are told. */
const warning = (text: string): JsonObject => ({
  systemMessage: reasonText(text),
  hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: reasonText(text) },
})

/**
 * Stands beside the HTTP hook of an event that can be refused, and gives no opinion of its own: it refuses when the
 * port belongs to a stranger, whose answers would pass for the guard's, and brings the guard back when it is gone.
 */
const gate = async (run: HookRun, client: HookClient, signal: AbortSignal): Promise<JsonObject> => {
  const refuse = (reason: string): JsonObject => refuseClaudeCode(run.event, reason)
  const health = await client.get('/healthz', signal)
  if (health.outcome === 'failed') {
    const started = await run.start(signal)
    return started.outcome === 'down'
      ? unreachable(run.event, started.cause)
      : refuse('The guard was not running and has been started again. Please send this once more.')
  }
  const trouble = await portTrouble(run)
  return trouble === undefined ? {} : refuse(trouble)
}

const answerOf = async (
  run: HookRun,
  body: Buffer,
  event: string | undefined,
  signal: AbortSignal,
): Promise<JsonObject> => {
  const client = createHookClient({ kind: 'socket', path: run.socket })
  if (run.gate) return gate(run, client, signal)
  const reply = readAnswer(event, await ask(run, client, body, signal))
  if (event !== 'SessionStart' || 'systemMessage' in reply) return reply
  const trouble = await portTrouble(run)
  return trouble === undefined ? reply : warning(trouble)
}

/** The guard's answer to one event, or the refusal that fits it. Never rejects. */
export const runHook = async (run: HookRun): Promise<JsonObject> => {
  let { event } = run
  try {
    const row = event === undefined ? undefined : eventRow(event)
    const seconds = Math.max(0.5, (run.timeout ?? row?.wiring.timeout ?? UNKNOWN_TIMEOUT_S) - RESERVE_S)
    const signal = AbortSignal.timeout(seconds * 1000)
    const body = await run.stdin()
    event ??= eventOf(body)
    return await answerOf(run, body, event, signal)
  } catch (error) {
    return unreachable(event, error instanceof Error ? error.message : 'the hook failed')
  }
}
