import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { GatewayRpc } from './gateway-rpc.ts'

const PENDING = z.object({ id: z.string(), request: z.object({ sessionKey: z.string() }) })

/** Answers the host's own question in a session, as an operator does who sits at the gateway. */
export const answerQuestion = async (
  rpc: GatewayRpc,
  sessionKey: string,
  decision: 'allow-once' | 'deny',
): Promise<void> => {
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await sleep(100)) {
    const pending = z.array(PENDING).parse(await rpc.call('plugin.approval.list', {}))
    const id = pending.find(({ request }) => request.sessionKey === sessionKey)?.id
    if (id !== undefined) return void (await rpc.call('plugin.approval.resolve', { id, decision }))
  }
  throw new Error(`Nothing is asked in ${sessionKey}.`)
}

/** Refuses whatever the host asks in a session until something is over. */
export const refuseQuestions = async (rpc: GatewayRpc, sessionKey: string, over: Promise<unknown>): Promise<void> => {
  const ended = over.then(() => 'over' as const)
  while ((await Promise.race([ended, sleep(200)])) !== 'over') {
    const pending = z.array(PENDING).parse(await rpc.call('plugin.approval.list', {}))
    for (const { id, request } of pending)
      if (request.sessionKey === sessionKey) await rpc.call('plugin.approval.resolve', { id, decision: 'deny' })
  }
}
