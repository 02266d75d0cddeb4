import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Stage } from './stage.ts'

const MESSAGES = z.array(z.looseObject({ role: z.string(), content: z.unknown() }))
const CALL = z.looseObject({
  step: z.looseObject({
    kind: z.enum(['modelRequest', 'modelResponse']),
    id: z.string(),
    agent: z.looseObject({ id: z.string(), role: z.string() }),
    payload: z.looseObject({
      model: z.string().optional(),
      input: MESSAGES.optional(),
      output: MESSAGES.optional(),
      stopReason: z.string().optional(),
      callId: z.string(),
    }),
  }),
})

/** A call of the model as recorded in the trace: one line a message, and the stored part of the answer. */
export interface ModelCall {
  readonly role: string
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly stopReason: string | undefined
}

const wordOf = (block: Readonly<Record<string, unknown>>): string => {
  const { type, text, name, content } = block
  if (type === 'tool_result') return `result ${typeof content === 'string' ? content : JSON.stringify(content)}`
  return String(type === 'tool_use' ? `call ${String(name)}` : text)
}

const said = (messages: z.infer<typeof MESSAGES> = []): readonly string[] =>
  messages.map(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return `[${role}] ${z.array(z.looseObject({})).parse(blocks).map(wordOf).join(', ')}`
  })

/**
 * The model calls of a session, in the order of their requests. Throws when a request or a response lacks the other.
 */
const callsIn = async (stage: Stage, session: string): Promise<readonly ModelCall[]> => {
  const steps = (await stage.trace(session)).flatMap(({ body }) => {
    const call = CALL.safeParse(body)
    return call.success ? [call.data.step] : []
  })
  const responses = steps.filter(({ kind }) => kind === 'modelResponse')
  return steps
    .filter(({ kind }) => kind === 'modelRequest')
    .map(({ agent, payload }) => {
      const own = responses.filter((response) => response.payload.callId === payload.callId)
      if (own.length !== 1) throw new Error(`${own.length} responses to the request ${payload.callId}`)
      const answered = own[0]?.payload
      return {
        role: agent.role,
        input: said(payload.input),
        output: said(answered?.output),
        stopReason: answered?.stopReason,
      }
    })
}

const LIMIT_MS = 12_000

/** The model calls of a session once there are as many as given: they are recorded after the host has its answer. */
export const modelCalls = async (stage: Stage, session: string, count: number): Promise<readonly ModelCall[]> => {
  for (const giveUpAt = Date.now() + LIMIT_MS; ; await sleep(200)) {
    const calls = await callsIn(stage, session).catch((error: unknown) => {
      if (Date.now() > giveUpAt) throw error
      return []
    })
    if (calls.length >= count || Date.now() > giveUpAt) return calls
  }
}
