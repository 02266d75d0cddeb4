import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const FRAME = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('event'), event: z.string(), payload: z.unknown() }),
  z.looseObject({
    type: z.literal('res'),
    id: z.string(),
    ok: z.boolean(),
    payload: z.unknown().optional(),
    error: z.unknown().optional(),
  }),
])

/** An event that the gateway sent without being asked. */
export interface GatewayEvent {
  readonly event: string
  readonly payload: unknown
}

/** The gateway's control plane: docs/gateway/protocol of openclaw 2026.9.6, wire version 4. */
export interface GatewayRpc {
  /** Asks for a method's payload; throws with the gateway's own error. */
  call(method: string, params: unknown): Promise<unknown>
  /** Every event so far, in order of arrival. */
  readonly events: readonly GatewayEvent[]
  /** Waits for an event, one that has come already included. */
  waitFor(matches: (event: GatewayEvent) => boolean, limitMs: number): Promise<GatewayEvent>
  close(): void
}

interface Waiting {
  readonly done: (payload: unknown) => void
  readonly failed: (error: Error) => void
}

// The one client that may speak without a paired device: the gateway's own helpers, on loopback, with its token.
const CLIENT = { id: 'gateway-client', version: '1.0.0', platform: process.platform, mode: 'backend' }
const SCOPES = ['operator.admin', 'operator.read', 'operator.write', 'operator.approvals']
/** What this client can show a person: with these it is sent tool results as they come, and approvals to answer. */
const CAPS = ['tool-events', 'approvals', 'exec-approvals', 'plugin-approvals']
const CALL_LIMIT_MS = 60_000

/** Connects to a gateway on loopback as an operator with its shared token. */
export const connectRpc = async (port: number, token: string): Promise<GatewayRpc> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  const waiting = new Map<string, Waiting>()
  const events: GatewayEvent[] = []
  const listeners = new Set<(event: GatewayEvent) => void>()
  socket.addEventListener('message', ({ data }) => {
    const frame = FRAME.parse(JSON.parse(String(data)))
    if (frame.type === 'event') {
      events.push(frame)
      for (const listener of listeners) listener(frame)
      return
    }
    const asked = waiting.get(frame.id)
    waiting.delete(frame.id)
    if (frame.ok) asked?.done(frame.payload)
    else asked?.failed(new Error(`The gateway refused: ${JSON.stringify(frame.error)}`))
  })
  socket.addEventListener('close', ({ code, reason }) => {
    for (const { failed } of waiting.values()) failed(new Error(`The gateway hung up: ${code} ${reason}`))
  })
  const waitFor: GatewayRpc['waitFor'] = (matches, limitMs) =>
    new Promise((done, failed) => {
      const there = events.find(matches)
      if (there !== undefined) return done(there)
      const limit = setTimeout(() => failed(new Error(`No such event within ${limitMs} ms.`)), limitMs)
      const listener = (event: GatewayEvent): void => {
        if (!matches(event)) return
        clearTimeout(limit)
        listeners.delete(listener)
        done(event)
      }
      listeners.add(listener)
    })
  const call: GatewayRpc['call'] = (method, params) =>
    new Promise((done, failed) => {
      const id = randomUUID()
      const limit = setTimeout(() => failed(new Error(`${method} was not answered in time.`)), CALL_LIMIT_MS)
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(limit)
          settle(value)
        }
      waiting.set(id, { done: settled(done), failed: settled(failed) })
      socket.send(JSON.stringify({ type: 'req', id, method, params }))
    })
  await new Promise<void>((opened, failed) => {
    socket.addEventListener('open', () => opened())
    socket.addEventListener('error', () => failed(new Error(`No gateway on port ${port}.`)))
  })
  await waitFor(({ event }) => event === 'connect.challenge', 10_000)
  await call('connect', {
    minProtocol: 4,
    maxProtocol: 4,
    client: CLIENT,
    role: 'operator',
    scopes: SCOPES,
    caps: CAPS,
    auth: { token },
  })
  return { call, events, waitFor, close: () => socket.close() }
}

/** Waits until a gateway lets clients in: it answers /healthz some seconds before it does. */
export const untilConnectable = async (port: number, token: string, limitMs: number): Promise<void> => {
  const giveUpAt = Date.now() + limitMs
  while (true) {
    try {
      const rpc = await connectRpc(port, token)
      return rpc.close()
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
      await sleep(500)
    }
  }
}
